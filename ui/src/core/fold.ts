/**
 * Session events folded into rows, one event at a time.
 *
 * Rows are changed in place. A change is announced once per picture: `flush` raises the
 * `changed` of every touched row and, when rows came, went or settled, `structure`.
 */

import { batch, signal } from "@preact/signals-core";
import type { EventData, EventType, SessionEvent } from "../wire";
import { isSettled, OUTPUT_KEPT, type Row, type ToolRow } from "./rows";
import { StepStream } from "./stream";
import { toolSettled } from "./toolstate";
import { tokensOf, TurnFacts } from "./turnfacts";
import { contextOf, textOf } from "./usermessage";

type Handler<T extends EventType> = (data: EventData[T], event: SessionEvent) => void;
type Fresh<R> = R extends Row ? Omit<R, "changed" | "turn"> & { turn?: number } : never;

export class Transcript {
  rows: Row[] = [];
  readonly structure = signal(0);
  /** Of the last request and its answer; 0 before the first. */
  contextTokens = 0;
  contextWindow: number | undefined;
  /** The turn that is open, or the last one. */
  turn = 0;
  #open = false;
  #keys = new Set<string>();
  #dirty = new Set<Row>();
  #shape = false;
  #calls = new Map<string, ToolRow>();
  #approvals = new Map<string, ToolRow>();
  #facts = new TurnFacts();
  #stream = new StepStream(this);
  #sawStep = false;

  apply(event: SessionEvent): void {
    const handler = this.#handlers[event.type as EventType] as Handler<EventType> | undefined;
    handler?.(event.data as never, event);
  }

  /** Live output of a running call. */
  output(callId: string, text: string): void {
    const row = this.#calls.get(callId);
    if (!row || isSettled(row.state)) return;
    row.output = (row.output + text).slice(-OUTPUT_KEPT);
    this.touch(row);
  }

  /** Tell the screen what changed since the last call. */
  flush(): void {
    batch(() => {
      for (const row of this.#dirty) row.changed.value++;
      this.#dirty.clear();
      if (this.#shape) this.structure.value++;
      this.#shape = false;
    });
  }

  add<R extends Row>(fresh: Fresh<R>): R {
    let { key } = fresh;
    // A log that repeats a step must not make two rows of one name.
    while (this.#keys.has(key)) key += "+";
    this.#keys.add(key);
    const row = { turn: this.turn, ...fresh, key, changed: signal(0) } as unknown as R;
    this.rows.push(row);
    this.#shape = true;
    return row;
  }

  touch(row: Row): void {
    this.#dirty.add(row);
  }

  /** A row changed so that its neighbours may look different. */
  reshape(row: Row): void {
    this.#dirty.add(row);
    this.#shape = true;
  }

  remove(gone: Set<Row>): void {
    if (!gone.size) return;
    for (const row of gone) this.#keys.delete(row.key);
    this.rows = this.rows.filter((row) => !gone.has(row));
    this.#shape = true;
  }

  nameCall(row: ToolRow): void {
    if (row.callId) this.#calls.set(row.callId, row);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  readonly #handlers: { [T in EventType]?: Handler<T> } = {
    "turn/start": ({ turn }, event) => {
      this.turn = turn;
      this.#open = true;
      this.#sawStep = false;
      this.#facts = new TurnFacts(event.time);
      for (const row of this.rows) {
        if (row.kind !== "error" || !row.last) continue;
        row.last = false;
        this.touch(row);
      }
    },
    "step/start": (_, event) => {
      this.#facts.asked(event.time);
      this.#stream.reset();
    },
    "step/end": () => {
      this.#sawStep = true;
    },
    "user/message": (message, event) => {
      if (event.surfaceOp && event.surfaceOp.op !== "append") return;
      const key = `u${event.seq}`;
      if (message.source.kind === "user") {
        const steered = this.#open && this.#sawStep;
        this.add({ kind: "user", key, text: textOf(message), time: event.time, steered });
      } else if (message.source.kind === "plugin") {
        this.add({ kind: "context", key, ...contextOf(message, message.source) });
      }
    },
    "assistant/chunk": ({ turn, step, chunk }, event) => {
      this.#facts.chunk(chunk, event.time);
      this.#retried("answered");
      this.#stream.chunk(turn, step, chunk, event.time);
    },
    "assistant/message": (data) => {
      this.#retried("answered");
      this.#facts.message(data.usage);
      if (data.usage) this.contextTokens = tokensOf(data.usage);
      this.#stream.message(data);
    },
    "request/context": ({ contextWindow }) => {
      this.contextWindow = contextWindow;
    },
    "tool/call": (data, event) => {
      let row = this.#calls.get(data.callId);
      if (row?.state !== "writing") {
        const { callId, name, turn } = data;
        const key = `c${event.seq}`;
        const rest = { output: "", text: "", state: "running" as const };
        row = this.add<ToolRow>({ kind: "tool", key, callId, name, turn, args: "", ...rest });
      }
      row.name = data.name;
      row.args = data.arguments;
      if (event.card) row.call = event.card;
      row.state = "running";
      row.began = event.time;
      this.nameCall(row);
      this.reshape(row);
    },
    "tool/result": (data, event) => {
      const block = data.message.content[0];
      if (block?.type !== "tool-result") return;
      const callId = block.toolCallId;
      let row = this.#calls.get(callId);
      if (!row || isSettled(row.state)) {
        const rest = { output: "", text: "", args: "", name: "", state: "running" as const };
        row = this.add<ToolRow>({ kind: "tool", key: `c${event.seq}`, callId, ...rest });
        this.nameCall(row);
      }
      toolSettled(row, block, event, data.error);
      this.reshape(row);
    },
    "llm/retry": (data, event) => {
      this.#stream.abandon();
      const state = "waiting" as const;
      const { retry, failure } = data;
      const news = { retry, failure, state, due: event.time + data.delayMs, delay: data.delayMs };
      const last = this.rows.at(-1);
      if (last?.kind === "retry" && last.turn === data.turn) {
        Object.assign(last, news);
        this.reshape(last);
        return;
      }
      const most = data.maxRetries === undefined ? {} : { most: data.maxRetries };
      this.add({ kind: "retry", key: `y${data.turn}.${data.step}.${event.seq}`, ...news, ...most });
    },
    "llm/retry-started": () => this.#retried("started"),
    "approval/asked": ({ id, callId }) => {
      const row = callId ? this.#calls.get(callId) : undefined;
      if (!row || isSettled(row.state)) return;
      row.state = "waiting";
      this.#approvals.set(id, row);
      this.reshape(row);
    },
    "approval/decided": ({ id, outcome }, event) => {
      const row = this.#approvals.get(id);
      this.#approvals.delete(id);
      if (row?.state !== "waiting") return;
      row.state = outcome === "allowed-once" ? "running" : "refused";
      if (row.state === "running") row.began = event.time;
      this.reshape(row);
    },
    "sandbox/mode": ({ mode }, event) => {
      // The mode that a session starts with is on its chip; only changes are news.
      if (this.turn > 0) this.add({ kind: "note", key: `m${event.seq}`, note: "mode", mode });
    },
    "compaction/summary": ({ summary }, event) => {
      const detail = summary.map((b) => (b.type === "text" ? b.text : "")).join("\n\n");
      this.add({ kind: "note", key: `k${event.seq}`, note: "compaction", detail });
    },
    "turn/end": ({ turn, reason }, event) => {
      this.#open = false;
      this.#stream.close();
      this.#retried("gave-up");
      const key = `e${event.seq}`;
      const failure = reason.error;
      if (reason.kind === "error" && failure) {
        this.add({ kind: "error", key, turn, failure, last: true });
      } else if (reason.kind !== "completed" && reason.kind !== "error") {
        const detail = reason.reason?.reason;
        this.add({ kind: "note", key, turn, note: reason.kind, ...(detail ? { detail } : {}) });
      }
      const answer = this.#answerOf(turn);
      this.add({
        kind: "foot",
        key: `f${event.seq}`,
        turn,
        answer,
        ...this.#facts.end(event.time),
      });
    },
  };

  #retried(state: "started" | "answered" | "gave-up"): void {
    const row = this.rows.at(-1);
    if (row?.kind !== "retry" || row.state === "answered" || row.state === state) return;
    row.state = state;
    this.reshape(row);
  }

  #answerOf(turn: number): string {
    const texts: string[] = [];
    for (let at = this.rows.length - 1; at >= 0; at--) {
      const row = this.rows[at]!;
      if (row.turn !== turn) break;
      if (row.kind === "text") texts.unshift(row.text);
    }
    return texts.join("\n\n");
  }
}
