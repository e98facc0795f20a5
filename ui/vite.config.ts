import { defineConfig } from "vite";

// The page is served by the loopback host from its own folder, under a strict content
// policy: no inline script, no polyfill that would inject one.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../app/dsh/surfaces/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
});
