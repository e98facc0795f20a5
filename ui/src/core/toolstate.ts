/** How a call ended, read from its result. */

import type { SessionEvent, ToolResultBlock } from "../wire";
import type { ToolRow, ToolState } from "./rows";

const NEVER_RAN = new Set(["TOOL_NOT_STARTED", "ABORTED_BEFORE_DISPATCH", "ABORTED"]);
const REFUSED = new Set(["DENIED", "TOOL_DENIED", "APPROVAL_REJECTED", "REJECTED"]);

export function toolSettled(
  row: ToolRow,
  block: ToolResultBlock,
  event: SessionEvent,
  error: { name: string; code: string } | undefined,
): void {
  row.text = block.content.map((part) => part.text).join("\n\n");
  if (event.card) row.result = event.card;
  if (error) row.error = error;
  const wasRefused = row.state === "refused";
  row.state = wasRefused ? "refused" : stateOf(row, block.isError ?? false, error?.code ?? "");
  row.ended = event.time;
  row.output = "";
}

function stateOf(row: ToolRow, isError: boolean, code: string): ToolState {
  if (code === "TOOL_OUTCOME_UNKNOWN") return "unknown";
  if (NEVER_RAN.has(code)) return "stopped";
  if (REFUSED.has(code)) return "refused";
  const card = row.result;
  const badExit = card?.kind === "terminal" && (card.signal || (card.exitCode ?? 0) !== 0);
  return isError || badExit ? "failed" : "done";
}
