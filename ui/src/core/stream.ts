/** The rows of one answer while it streams, and its final form. */

import type { EventData, StreamChunk } from "../wire";
import type { ReasoningRow, Row, TextRow, ToolRow } from "./rows";

type Live = TextRow | ReasoningRow | ToolRow;
type Kind = "text" | "reasoning" | "tool-call";

/** What a stream needs of the transcript that it writes into. */
export interface Sheet {
  add<R extends Row>(row: never): R;
  touch(row: Row): void;
  reshape(row: Row): void;
  remove(rows: Set<Row>): void;
  nameCall(row: ToolRow): void;
}

export class StepStream {
  #open = new Map<number, Live>();

  constructor(private readonly sheet: Sheet) {}

  reset(): void {
    this.#open.clear();
  }

  /** The request failed and is made again: what it had written is void. */
  abandon(): void {
    this.sheet.remove(new Set(this.#open.values()));
    this.#open.clear();
  }

  /** The turn ended with the answer unfinished. */
  close(): void {
    const gone = new Set<Row>();
    for (const row of this.#open.values()) {
      if (row.kind === "tool") {
        if (row.state === "writing") gone.add(row);
        continue;
      }
      row.live = false;
      if (row.kind === "text") row.interrupted = true;
      this.sheet.reshape(row);
    }
    this.sheet.remove(gone);
    this.#open.clear();
  }

  chunk(turn: number, step: number, chunk: StreamChunk, time: number): void {
    switch (chunk.type) {
      case "block-start":
        this.#row(turn, step, chunk.index, chunk.blockType, time);
        break;
      case "text-delta":
      case "reasoning-delta": {
        const kind = chunk.type === "text-delta" ? "text" : "reasoning";
        const row = this.#row(turn, step, chunk.index, kind, time);
        if (row.kind === "tool") return;
        row.text += chunk.text;
        this.sheet.touch(row);
        break;
      }
      case "tool-call-delta": {
        const row = this.#row(turn, step, chunk.index, "tool-call", time);
        if (row.kind !== "tool") return;
        row.callId ||= chunk.id;
        row.name ||= chunk.name ?? "";
        row.args += chunk.argumentsDelta;
        this.sheet.nameCall(row);
        this.sheet.touch(row);
        break;
      }
      case "block-end":
        this.#blockEnd(turn, step, chunk, time);
        break;
    }
  }

  #blockEnd(
    turn: number,
    step: number,
    chunk: Extract<StreamChunk, { type: "block-end" }>,
    time: number,
  ): void {
    const { block, index } = chunk;
    const row = this.#row(turn, step, index, block.type, time);
    if (row.kind === "reasoning") row.ended = time;
    if (row.kind === "tool" && block.type === "tool-call") {
      row.callId = block.id;
      row.name = block.name;
      row.args = block.arguments;
      this.sheet.nameCall(row);
    } else if (row.kind !== "tool" && block.type !== "tool-call") {
      row.text = block.text;
      row.live = false;
    }
    this.sheet.reshape(row);
  }

  /** The whole answer: open rows take its text, missing ones are made. */
  message(data: EventData["assistant/message"]): void {
    const open = [...this.#open.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
    this.#open.clear();
    const kept = new Set<Row>();
    data.message.content.forEach((block, place) => {
      if (block.type === "tool-result") return;
      const kind = block.type === "tool-call" ? "tool" : block.type;
      let row = open.find((candidate) => candidate.kind === kind && !kept.has(candidate));
      if (!row) {
        if (block.type !== "tool-call" && !block.text.trim()) return;
        row = this.#make(data.turn, data.step, place, block.type);
      }
      kept.add(row);
      if (row.kind === "tool" && block.type === "tool-call") {
        Object.assign(row, { callId: block.id, name: block.name, args: block.arguments });
        this.sheet.nameCall(row);
      } else if (row.kind !== "tool" && block.type !== "tool-call") {
        row.text = block.text;
        row.live = false;
        if (row.kind === "text") row.interrupted = data.interrupted ?? false;
      }
      this.sheet.reshape(row);
    });
    this.sheet.remove(new Set(open.filter((row) => !kept.has(row))));
  }

  #row(turn: number, step: number, index: number, kind: Kind, time: number): Live {
    let row = this.#open.get(index);
    if (!row) {
      row = this.#make(turn, step, index, kind);
      if (row.kind === "reasoning") row.began = time;
      if (row.kind !== "tool") row.live = true;
      this.#open.set(index, row);
    }
    return row;
  }

  #make(turn: number, step: number, index: number, kind: Kind): Live {
    const key = `a${turn}.${step}.${index}`;
    const base = { key, turn, text: "" };
    const row =
      kind === "tool-call"
        ? { ...base, kind: "tool", callId: "", name: "", args: "", output: "", state: "writing" }
        : { ...base, kind, live: false, ...(kind === "text" ? { interrupted: false } : {}) };
    return this.sheet.add<Live>(row as never);
  }
}
