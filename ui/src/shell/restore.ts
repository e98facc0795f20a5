/** Where the window begins: a folder that was asked for, or the session that was open. */

import { effect } from "@preact/signals-core";
import type { App } from "../core/app";
import { newSession } from "./actions";
import type { Screen } from "../parts/context";

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

/** Start in the folder that a second start of the program named. */
export function followFolders(screen: Screen): void {
  const { app } = screen;
  effect(() => {
    const path = app.host.openFolder.value;
    if (!path) return;
    app.host.openFolder.value = null;
    void app.attempt(async () => {
      const workspace = await app.api.call("workspace/create", { path });
      app.host.putWorkspace(workspace);
      newSession(screen, workspace.workspaceId);
    });
  });
}
