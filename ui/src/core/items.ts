/**
 * Rows as they stand on the screen: runs of finished calls of one kind become one line,
 * and every row knows whether it is a line or a card.
 */

import { cardOf, type Row, type ToolRow } from "./rows";

export type GroupKind = "terminal" | "read" | "search" | "generic" | "context";
export type Form = "line" | "card";

interface Placed {
  key: string;
  turn: number;
  /** Opens its turn. */
  first: boolean;
  /** A thread leads on to the next row. */
  link: boolean;
}
export interface RowItem extends Placed {
  row: Row;
  form: Form;
}
export interface GroupItem extends Placed {
  group: GroupKind;
  rows: Row[];
}
export type Item = RowItem | GroupItem;

const ENOUGH = 3;

export function isGroup(item: Item): item is GroupItem {
  return "group" in item;
}

/** The last command of each turn stays open: it is what the turn came to. */
function lastCommands(rows: readonly Row[]): Set<Row> {
  const last = new Map<number, Row>();
  for (const row of rows) {
    if (row.kind === "tool" && cardOf(row)?.kind === "terminal") last.set(row.turn, row);
  }
  return new Set(last.values());
}

function formOf(row: ToolRow, current: boolean, isLast: boolean): Form {
  switch (row.state) {
    case "writing":
    case "waiting":
    case "refused":
    case "stopped":
      return "line";
    case "failed":
    case "unknown":
      return "card";
  }
  switch (cardOf(row)?.kind) {
    case "diff":
      return "card";
    case "terminal":
      return row.state === "running" || isLast ? "card" : "line";
    case "read":
    case "search":
      return current && row.state === "done" ? "card" : "line";
    default:
      return "line";
  }
}

/** What a row may be folded with, or null. */
function groupOf(row: Row, isLast: boolean): GroupKind | null {
  if (row.kind === "context") return "context";
  if (row.kind !== "tool" || row.state !== "done" || isLast) return null;
  const kind = cardOf(row)?.kind ?? "generic";
  return kind === "diff" ? null : kind;
}

const THREADED = new Set<Row["kind"]>(["reasoning", "text", "tool", "retry", "context", "error"]);

export function itemsOf(rows: readonly Row[], currentTurn: number): Item[] {
  const lasts = lastCommands(rows);
  const items: Item[] = [];
  let at = 0;
  while (at < rows.length) {
    const row = rows[at]!;
    const kind = groupOf(row, lasts.has(row));
    let end = at + 1;
    while (
      kind &&
      end < rows.length &&
      rows[end]!.turn === row.turn &&
      groupOf(rows[end]!, lasts.has(rows[end]!)) === kind
    ) {
      end++;
    }
    const first = row.turn !== rows[at - 1]?.turn;
    if (kind && end - at >= ENOUGH) {
      const rowsOf = rows.slice(at, end);
      items.push({ key: `g${row.key}`, turn: row.turn, first, link: false, group: kind, rows: rowsOf });
    } else {
      end = at + 1;
      const current = row.turn === currentTurn;
      const form = row.kind === "tool" ? formOf(row, current, lasts.has(row)) : "line";
      items.push({ key: row.key, turn: row.turn, first, link: false, row, form });
    }
    at = end;
  }
  thread(items);
  return items;
}

function thread(items: Item[]): void {
  items.forEach((item, at) => {
    const next = items[at + 1];
    item.link = isThreaded(item) && !!next && isThreaded(next) && next.turn === item.turn;
  });
}

function isThreaded(item: Item): boolean {
  return isGroup(item) || THREADED.has(item.row.kind);
}
