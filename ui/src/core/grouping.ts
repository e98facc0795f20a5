/** Sessions under their workspaces, in the order of the sidebar. */

import type { SessionSummary, Workspace } from "../wire";

export interface Group {
  /** Null for sessions whose workspace is gone. */
  workspace: Workspace | null;
  sessions: SessionSummary[];
}

export function grouped(
  workspaces: readonly Workspace[],
  sessions: Iterable<SessionSummary>,
): Group[] {
  const groups = new Map<string, Group>();
  for (const workspace of [...workspaces].sort((a, b) => a.order - b.order)) {
    groups.set(workspace.workspaceId, { workspace, sessions: [] });
  }
  const loose: Group = { workspace: null, sessions: [] };
  for (const session of sessions) {
    // A blank session waits to be used; it is nobody's entry yet.
    if (session.blank) continue;
    (groups.get(session.workspaceId ?? "") ?? loose).sessions.push(session);
  }
  const all = [...groups.values(), ...(loose.sessions.length ? [loose] : [])];
  for (const group of all) group.sessions.sort((a, b) => b.updated - a.updated);
  return all;
}

/** The mark of a session: what waits for a person outranks everything. */
export function markOf(session: SessionSummary) {
  if (session.status === "waiting") return "waiting" as const;
  if (session.status === "running") return "running" as const;
  if (session.status === "failed") return "failed" as const;
  return session.unseen ? ("done" as const) : ("idle" as const);
}
