/**
 * A stand-in for the host while working on the page: it speaks the wire with scripted
 * events and serves the built page under the product's content policy. Never shipped.
 *
 *   node dev/fixture.mjs [--port 8765] [--no-model] [--native] [--failed] [--big]
 */

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { Host } from "./script.mjs";

const flags = new Set(process.argv.slice(2));
const port = Number(process.argv[process.argv.indexOf("--port") + 1]) || 8765;
const ROOT = fileURLToPath(new URL("../../app/dsh/surfaces/static/", import.meta.url));
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join("; ");

const host = new Host(flags);

async function page(url) {
  const boot = { version: "0.1.0", locale: "system", theme: "system", native: flags.has("--native") };
  for (const name of ["locale", "theme"]) {
    const asked = url.searchParams.get(name) ?? host.state[name];
    if (asked) boot[name] = asked;
  }
  const text = await readFile(join(ROOT, "index.html"), "utf8");
  return text
    .replace('name="dsh-page-token" content=""', 'name="dsh-page-token" content="fixture"')
    .replace('content="{}"', `content="${JSON.stringify(boot).replaceAll('"', "&quot;")}"`);
}

async function bodyOf(request) {
  let text = "";
  for await (const part of request) text += part;
  return text ? JSON.parse(text) : {};
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const send = (status, type, body) => {
    response.writeHead(status, { "content-type": type, "content-security-policy": POLICY });
    response.end(body);
  };
  try {
    if (url.pathname.startsWith("/api/")) {
      const result = await host.call(url.pathname.slice(5), await bodyOf(request));
      return send(200, "application/json", JSON.stringify(result ?? {}));
    }
    if (url.pathname === "/") return send(200, TYPES[".html"], await page(url));
    const file = join(ROOT, normalize(url.pathname));
    send(200, TYPES[extname(file)] ?? "application/octet-stream", await readFile(file));
  } catch (error) {
    const known = error.code && error.status;
    const body = { error: { code: error.code ?? "ERROR", message: error.message } };
    send(known ? error.status : 404, "application/json", JSON.stringify(body));
  }
});

new WebSocketServer({ server, path: "/api/events" }).on("connection", (socket) => {
  host.connect(socket);
});

server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
