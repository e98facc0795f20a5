/** Back to the session that was open when the window was closed or reloaded. */

import { effect } from "@preact/signals-core";
import type { App } from "../core/app";

export function restorePlace(app: App): void {
  const stop = effect(() => {
    if (!app.prefs.loaded.value || !app.host.ready.value) return;
    const last = app.prefs.peek("lastSession", "");
    const place = app.nav.place.peek();
    const known = app.host.sessions.peek().get(last);
    const untouched = place.at === "start" && !app.nav.canBack.peek();
    if (known && untouched) app.nav.replace({ at: "session", sessionId: last });
    queueMicrotask(() => stop());
  });
}
