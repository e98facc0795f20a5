/** What several parts of the frame do: open folders, sessions, questions about them. */

import { batch } from "@preact/signals-core";
import { ApiError } from "../core/api";
import { t } from "../i18n";
import { nameDialog, sureDialog } from "../parts/dialogs";
import type { Screen } from "../parts/context";
import { folderDialog } from "../start/folderdialog";
import type { SessionSummary, Workspace } from "../wire";

/** Ask for a folder: the system's dialog, or our own where there is none. */
export async function pickFolder(screen: Screen): Promise<string | null> {
  const { app } = screen;
  if (app.facts.native) {
    try {
      const title = t("folder.title");
      return (await app.api.call("host/pickDirectory", { title })).path;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "NO_NATIVE") throw error;
    }
  }
  return new Promise((resolve) => screen.open(folderDialog(app, resolve)));
}

/** Ask for a folder and make it a workspace; null when the person changed their mind. */
export async function openFolder(screen: Screen): Promise<Workspace | null> {
  const { app } = screen;
  try {
    const path = await pickFolder(screen);
    if (!path) return null;
    const workspace = await app.api.call("workspace/create", { path });
    app.host.putWorkspace(workspace);
    return workspace;
  } catch (error) {
    app.fail(error);
    return null;
  }
}

export async function openFolderAndStart(screen: Screen): Promise<void> {
  const workspace = await openFolder(screen);
  if (workspace) newSession(screen, workspace.workspaceId);
}

export function newSession(screen: Screen, workspaceId?: string): void {
  batch(() => {
    screen.app.nav.go(workspaceId ? { at: "start", workspaceId } : { at: "start" });
    screen.focusComposer.value++;
  });
}

export function openSession(screen: Screen, sessionId: string): void {
  batch(() => {
    screen.app.nav.go({ at: "session", sessionId });
    screen.focusComposer.value++;
  });
}

export function renameSession(screen: Screen, session: SessionSummary): void {
  const { app } = screen;
  const { sessionId } = session;
  const save = (title: string) =>
    void app.attempt(async () => {
      app.host.put(await app.api.call("session/rename", { sessionId, title }));
    });
  screen.open(nameDialog({ title: t("dialog.renameSession"), value: session.title ?? "", save }));
}

export function renameWorkspace(screen: Screen, workspace: Workspace): void {
  const { app } = screen;
  const { workspaceId } = workspace;
  const save = (title: string) =>
    void app.attempt(async () => {
      await app.api.call("workspace/rename", { workspaceId, title });
      app.host.putWorkspace({ ...workspace, title });
    });
  screen.open(nameDialog({ title: t("dialog.renameWorkspace"), value: workspace.title, save }));
}

export function removeWorkspace(screen: Screen, workspace: Workspace): void {
  const { app } = screen;
  const { workspaceId } = workspace;
  const done = () =>
    void app.attempt(async () => {
      await app.api.call("workspace/remove", { workspaceId });
      const { workspaces } = app.host;
      workspaces.value = workspaces.peek().filter((w) => w.workspaceId !== workspaceId);
    });
  screen.open(
    sureDialog({
      title: t("dialog.removeWorkspace", { name: workspace.title }),
      text: t("dialog.removeWorkspaceText"),
      go: t("dialog.remove"),
      danger: true,
      done,
    }),
  );
}

/** The next session with an open question, after the one that is shown. */
export function nextWaiting(screen: Screen): void {
  const { app } = screen;
  const waiting = [...new Set(app.host.approvals.peek().map((a) => a.sessionId))];
  if (!waiting.length) return;
  const place = app.nav.place.peek();
  const here = place.at === "session" ? waiting.indexOf(place.sessionId) : -1;
  const next = waiting[(here + 1) % waiting.length];
  if (next) app.nav.go({ at: "session", sessionId: next });
}
