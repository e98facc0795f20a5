/** What a call does or did, in one word. */

import { cardOf, type ToolRow } from "../core/rows";
import { type Key, t } from "../i18n";

const DOING: Record<string, [doing: Key, did: Key]> = {
  terminal: ["tool.running", "tool.run"],
  diff: ["tool.editing", "tool.edited"],
  read: ["tool.reading", "tool.read"],
  search: ["tool.searching", "tool.searched"],
  generic: ["tool.using", "tool.used"],
};

export function verbOf(row: ToolRow): string {
  switch (row.state) {
    case "writing":
      return t("tool.writing");
    case "waiting":
      return t("tool.waiting");
    case "refused":
      return t("tool.refused");
    case "stopped":
      return t(row.error?.code === "ABORTED" ? "tool.halted" : "tool.stopped");
    case "unknown":
      return t("tool.unknown");
  }
  const card = cardOf(row);
  const [doing, did] = DOING[card?.kind ?? "generic"]!;
  if (card?.kind === "diff" && card.diffs.length && card.diffs.every((d) => d.oldText === null)) {
    return t(row.state === "running" ? doing : "tool.created");
  }
  return t(row.state === "running" ? doing : did);
}
