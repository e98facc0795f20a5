/** The figures of one turn: how long, how fast, how much. */

import type { StreamChunk, Usage } from "../wire";

export interface Figures {
  time: number;
  ranMs?: number;
  firstTokenMs?: number;
  tokensPerSecond?: number;
  inputTokens?: number;
  outputTokens?: number;
}

export function tokensOf(usage: Usage): number {
  return inputOf(usage) + usage.outputTokens;
}

function inputOf(usage: Usage): number {
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

export class TurnFacts {
  #asked: number | undefined;
  #first: number | undefined;
  #last: number | undefined;
  #firstTokenMs: number | undefined;
  #decodeMs = 0;
  #decoded = 0;
  #input = 0;
  #output = 0;
  #counted = false;

  constructor(private readonly began?: number) {}

  asked(time: number): void {
    this.#asked = time;
    this.#first = this.#last = undefined;
  }

  chunk(chunk: StreamChunk, time: number): void {
    if (chunk.type === "usage" || chunk.type === "finish") return;
    this.#last = time;
    if (this.#first !== undefined) return;
    this.#first = time;
    if (this.#asked !== undefined) this.#firstTokenMs ??= time - this.#asked;
  }

  message(usage: Usage | undefined): void {
    if (!usage) return;
    this.#counted = true;
    this.#input += inputOf(usage);
    this.#output += usage.outputTokens;
    if (this.#first === undefined || this.#last === undefined) return;
    this.#decodeMs += this.#last - this.#first;
    this.#decoded += usage.outputTokens;
  }

  end(time: number): Figures {
    const figures: Figures = { time };
    if (this.began !== undefined) figures.ranMs = time - this.began;
    if (this.#firstTokenMs !== undefined) figures.firstTokenMs = this.#firstTokenMs;
    // Under a fifth of a second a speed says nothing.
    if (this.#decodeMs > 200) figures.tokensPerSecond = (this.#decoded * 1000) / this.#decodeMs;
    if (this.#counted) {
      figures.inputTokens = this.#input;
      figures.outputTokens = this.#output;
    }
    return figures;
  }
}
