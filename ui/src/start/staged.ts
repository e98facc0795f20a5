/** What a session will start with: chosen before there is one. */

import type { App } from "../core/app";
import type { Mode, Workspace } from "../wire";

/** The folder that was asked for, else the one used last, else the only one. */
export function stagedWorkspace(app: App): Workspace | null {
  const place = app.nav.place.value;
  const asked = place.at === "start" ? place.workspaceId : undefined;
  const workspaces = app.host.workspaces.value.filter((w) => !w.missing);
  const wanted = asked ?? app.prefs.get("workspace", "");
  const found = workspaces.find((w) => w.workspaceId === wanted);
  return found ?? (workspaces.length === 1 ? workspaces[0]! : null);
}

const MODES = new Set(["read-only", "workspace-write", "danger-full-access"]);

/** Full access is never remembered for the next session. */
export function stagedMode(app: App): Mode {
  const place = app.prefs.state.value.stagedMode;
  if (typeof place === "string" && MODES.has(place)) return place as Mode;
  return (app.host.description.value?.defaultMode as Mode | undefined) ?? "workspace-write";
}

export function stageMode(app: App, mode: Mode): void {
  app.prefs.set("stagedMode", mode);
}
