/** What the palette offers for what was typed. */

import { markOf } from "../core/grouping";
import { t } from "../i18n";
import { ago } from "../i18n/format";
import type { IconName } from "../icons/shapes";
import type { Screen } from "../parts/context";
import type { DotKind } from "../parts/dot";
import { openSession } from "../shell/actions";
import { find } from "./match";
import { settingsPages } from "../settings/pages";

export interface Entry {
  id: string;
  group: string;
  title: string;
  note?: string;
  icon?: IconName;
  mark?: DotKind;
  keys?: string | undefined;
  spans: [number, number][];
  score: number;
  run: () => void;
}

type Candidate = Omit<Entry, "spans" | "score">;

const MOST_SESSIONS = 30;

export function entries(screen: Screen, typed: string): Entry[] {
  const only = typed[0];
  const query = only === ">" || only === "@" ? typed.slice(1) : typed;
  const all: Candidate[][] = [];
  if (only !== "@") all.push(commands(screen));
  if (only !== ">") all.push(sessions(screen));
  if (only !== "@" && only !== ">") all.push(pages(screen));
  return all.flatMap((group) => ranked(group, query));
}

function ranked(group: Candidate[], query: string): Entry[] {
  const found: Entry[] = [];
  for (const candidate of group) {
    const match = find(query, candidate.title);
    if (match) found.push({ ...candidate, ...match });
  }
  // Without a query the given order says more than any score.
  if (query.trim()) found.sort((a, b) => b.score - a.score);
  return found.slice(0, MOST_SESSIONS);
}

function commands(screen: Screen): Candidate[] {
  return screen.commands.all
    .filter((c) => c.run && !c.hidden && !c.local && (c.when?.() ?? true))
    .map((command) => ({
      id: `c-${command.id}`,
      group: t("palette.commands"),
      title: t(command.title),
      icon: command.icon ?? "chevron-right",
      keys: command.keys?.[0],
      run: () => command.run?.(),
    }));
}

function sessions(screen: Screen): Candidate[] {
  const { host } = screen.app;
  const titles = new Map(host.workspaces.value.map((w) => [w.workspaceId, w.title]));
  return [...host.sessions.value.values()]
    .filter((session) => !session.blank)
    .sort((a, b) => b.updated - a.updated)
    .map((session) => ({
      id: `s-${session.sessionId}`,
      group: t("palette.sessions"),
      title: session.title ?? t("side.untitled"),
      note: [titles.get(session.workspaceId ?? ""), ago(session.updated)].filter(Boolean).join(", "),
      mark: markOf(session),
      run: () => openSession(screen, session.sessionId),
    }));
}

function pages(screen: Screen): Candidate[] {
  return settingsPages.map((page) => ({
    id: `p-${page.id}`,
    group: t("palette.settings"),
    title: t(page.title),
    icon: page.icon,
    run: () => screen.app.nav.go({ at: "settings", page: page.id }),
  }));
}
