/** Sessions in the order in which the sidebar shows them. */

import type { App } from "../core/app";
import { grouped } from "../core/grouping";
import type { SessionSummary } from "../wire";

export function sidebarOrder({ host, prefs }: App): SessionSummary[] {
  return grouped(host.workspaces.peek(), host.sessions.peek().values())
    .filter(({ workspace }) => !prefs.peek(`fold:${workspace?.workspaceId ?? ""}`, false))
    .flatMap((group) => group.sessions);
}
