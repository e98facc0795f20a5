/** What a session will start with: chosen before there is one. */

import { signal } from "@preact/signals-core";
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

const REMEMBERED = new Set(["read-only", "workspace-write"]);
const once = signal<Mode | null>(null);

/** What the next session may do. Full access holds for one session only. */
export function stagedMode(app: App): Mode {
  if (once.value) return once.value;
  const kept = app.prefs.state.value.stagedMode;
  if (typeof kept === "string" && REMEMBERED.has(kept)) return kept as Mode;
  return (app.host.description.value?.defaultMode as Mode | undefined) ?? "workspace-write";
}

export function stageMode(app: App, mode: Mode): void {
  once.value = REMEMBERED.has(mode) ? null : mode;
  if (REMEMBERED.has(mode)) app.prefs.set("stagedMode", mode);
}

/** The session that it was chosen for has begun. */
export function unstageMode(): void {
  once.value = null;
}
