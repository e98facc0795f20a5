/** Two texts as lines of a diff: context around changes, words marked inside them. */

import { diffArrays, diffWordsWithSpace } from "diff";
import type { FileDiff } from "../../wire";

export interface Word {
  text: string;
  marked: boolean;
}
export interface DiffLine {
  kind: "same" | "add" | "del" | "gap";
  old?: number;
  new?: number;
  words: Word[];
  /** For a gap: how many unchanged lines it stands for. */
  hidden?: number;
}
export interface DiffView {
  lines: DiffLine[];
  added: number;
  removed: number;
  tooBig: boolean;
}

const CONTEXT = 3;
// Beyond these a comparison would be felt while one scrolls.
const LIMITS = { maxEditLength: 1200, timeout: 40 };
const MOST_WORDS = 400;

function split(text: string): string[] {
  if (!text) return [];
  return text.replace(/\n$/, "").split(/\r?\n/);
}

function plain(text: string): Word[] {
  return [{ text, marked: false }];
}

const made = new WeakMap<FileDiff, DiffView>();

export function diffView(diff: FileDiff): DiffView {
  let view = made.get(diff);
  if (!view) {
    view = compute(diff);
    made.set(diff, view);
  }
  return view;
}

function compute({ oldText, newText, line = 1 }: FileDiff): DiffView {
  const before = split(oldText ?? "");
  const after = split(newText);
  const changes = diffArrays(before, after, LIMITS);
  if (!changes) {
    return { lines: [], added: after.length, removed: before.length, tooBig: true };
  }
  const lines: DiffLine[] = [];
  let [oldAt, newAt, added, removed] = [line, line, 0, 0];
  changes.forEach((change, at) => {
    if (change.removed) {
      const next = changes[at + 1];
      const [dels, adds] = pair(change.value, next?.added ? next.value : []);
      for (const words of dels) lines.push({ kind: "del", old: oldAt++, words });
      for (const words of adds) lines.push({ kind: "add", new: newAt++, words });
      removed += dels.length;
      added += adds.length;
    } else if (change.added) {
      if (changes[at - 1]?.removed) return; // already paired with what it replaces
      for (const text of change.value) lines.push({ kind: "add", new: newAt++, words: plain(text) });
      added += change.value.length;
    } else {
      for (const text of change.value) {
        lines.push({ kind: "same", old: oldAt++, new: newAt++, words: plain(text) });
      }
    }
  });
  return { lines: folded(lines), added, removed, tooBig: false };
}

/** Lines that replace lines one by one get their differing words marked. */
function pair(dels: string[], adds: string[]): [Word[][], Word[][]] {
  if (dels.length !== adds.length) return [dels.map(plain), adds.map(plain)];
  const left: Word[][] = [];
  const right: Word[][] = [];
  dels.forEach((from, at) => {
    const to = adds[at]!;
    const marks = from.length + to.length < MOST_WORDS ? diffWordsWithSpace(from, to) : null;
    const kept = marks?.reduce((n, m) => n + (m.added || m.removed ? 0 : m.value.trim().length), 0);
    if (!marks || !kept) {
      left.push(plain(from));
      right.push(plain(to));
      return;
    }
    const side = (skip: "added" | "removed") =>
      marks
        .filter((m) => !m[skip])
        .map((m) => ({ text: m.value, marked: m.added || m.removed }));
    left.push(side("added"));
    right.push(side("removed"));
  });
  return [left, right];
}

/** Long unchanged stretches become a gap. */
function folded(lines: DiffLine[]): DiffLine[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, at) => {
    if (line.kind === "same") return;
    for (let by = -CONTEXT; by <= CONTEXT; by++) if (lines[at + by]) near[at + by] = true;
  });
  const result: DiffLine[] = [];
  for (let at = 0; at < lines.length; ) {
    if (near[at]) {
      result.push(lines[at++]!);
      continue;
    }
    const from = at;
    while (at < lines.length && !near[at]) at++;
    // A gap of one line would take as much room as the line.
    if (at - from === 1) result.push(lines[from]!);
    else result.push({ kind: "gap", words: [], hidden: at - from });
  }
  return result;
}
