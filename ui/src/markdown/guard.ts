/** Nothing in the page may take the window elsewhere: links go out, drops go nowhere. */

import type { App } from "../core/app";
import { safeUrl } from "./link";

export function guardNavigation(app: App): void {
  const open = (event: MouseEvent) => {
    const link = (event.target as Element | null)?.closest?.("a[href]");
    if (!link) return;
    event.preventDefault();
    const url = safeUrl((link as HTMLAnchorElement).href);
    if (url) void app.attempt(() => app.api.call("host/openUrl", { url: url.href }));
  };
  addEventListener("click", open);
  addEventListener("auxclick", open);
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, (event) => {
      const target = event.target as Element | null;
      const text = event.dataTransfer?.types.includes("text/plain");
      const files = event.dataTransfer?.types.includes("Files");
      if (files || !text || !target?.closest?.("textarea, input")) event.preventDefault();
    });
  }
}
