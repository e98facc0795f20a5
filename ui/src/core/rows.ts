/** What a transcript is made of: rows in the order in which they happened. */

import type { Signal } from "@preact/signals-core";
import type { AnyCard, LlmFailure, Mode } from "../wire";
import type { Figures } from "./turnfacts";

interface Base {
  /** Stable over reloads and over loading of older history. */
  readonly key: string;
  readonly turn: number;
  /** Counts the changes of this row; reading it subscribes. */
  readonly changed: Signal<number>;
}

export interface UserRow extends Base {
  kind: "user";
  text: string;
  time: number;
  /** It joined a running turn. */
  steered: boolean;
}

/** Something that a plugin gave the model: instructions, a snapshot, a notice. */
export interface ContextRow extends Base {
  kind: "context";
  form: "instructions" | "snapshot" | "notice";
  plugin: string;
  summary: string;
  text: string;
}

export interface ReasoningRow extends Base {
  kind: "reasoning";
  text: string;
  live: boolean;
  /** Both in ms; absent when the stream itself was not seen. */
  began?: number;
  ended?: number;
}

export interface TextRow extends Base {
  kind: "text";
  text: string;
  live: boolean;
  interrupted: boolean;
}

export type ToolState =
  | "writing" // the model still writes the arguments
  | "running"
  | "waiting" // for a person
  | "done"
  | "failed"
  | "refused" // a person or a policy said no
  | "stopped" // never ran, or was cancelled
  | "unknown"; // may have run; nobody knows

export interface ToolRow extends Base {
  kind: "tool";
  callId: string;
  name: string;
  args: string;
  state: ToolState;
  call?: AnyCard;
  result?: AnyCard;
  /** Live output, at most the last `OUTPUT_KEPT` characters of it. */
  output: string;
  /** What the model got. */
  text: string;
  error?: { name: string; code: string };
  began?: number;
  ended?: number;
}

export interface RetryRow extends Base {
  kind: "retry";
  retry: number;
  most?: number;
  /** When the next attempt starts, in ms. */
  due: number;
  delay: number;
  failure: LlmFailure;
  state: "waiting" | "started" | "answered" | "gave-up";
}

export interface ErrorRow extends Base {
  kind: "error";
  failure: LlmFailure;
  /** Nothing came after it, so asking again makes sense. */
  last: boolean;
}

export interface NoteRow extends Base {
  kind: "note";
  note: "aborted" | "interrupted" | "blocked" | "max-tokens" | "mode" | "compaction";
  detail?: string;
  mode?: Mode;
}

export interface FootRow extends Base, Figures {
  kind: "foot";
  /** The visible answer of the turn, for copying. */
  answer: string;
}

export type Row =
  | UserRow
  | ContextRow
  | ReasoningRow
  | TextRow
  | ToolRow
  | RetryRow
  | ErrorRow
  | NoteRow
  | FootRow;

export const OUTPUT_KEPT = 200_000;

/** The best card that is known of a call. */
export function cardOf(row: ToolRow): AnyCard | undefined {
  return row.result ?? row.call;
}

export function isSettled(state: ToolState): boolean {
  return state !== "writing" && state !== "running" && state !== "waiting";
}
