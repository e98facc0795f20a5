/**
 * Markdown that grows: only the last blocks of a stream are parsed again.
 *
 * A block is done once two more have begun after it, since the one after may still turn
 * out to belong to it (a list after a blank line). The finished text is parsed once as a
 * whole, for the sake of link definitions at its end; unchanged blocks keep their identity.
 */

import { marked, type Token } from "marked";
import { cjkEmphasis } from "./emphasis";

export interface Block {
  raw: string;
  tokens: Token[];
}

const STILL_OPEN = 2;

cjkEmphasis();

function lex(text: string): Token[] {
  return marked.lexer(text);
}

export class Blocks {
  #text = "";
  #done: Block[] = [];
  #consumed = 0;
  #whole = false;
  blocks: Block[] = [];

  /** Blocks of `text`, which usually is the last text with more at its end. */
  update(source: string, live: boolean): Block[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (text === this.#text && (live || this.#whole)) return this.blocks;
    if (!text.startsWith(this.#text)) this.#restart();
    this.#text = text;
    this.#whole = !live;
    this.blocks = live ? this.#grow(text) : this.#finish(text);
    return this.blocks;
  }

  #restart(): void {
    this.#done = [];
    this.#consumed = 0;
  }

  #grow(text: string): Block[] {
    const tail = blocksOf(lex(text.slice(this.#consumed)));
    const settled = Math.max(0, tail.length - STILL_OPEN);
    for (const block of tail.slice(0, settled)) {
      this.#done.push(block);
      this.#consumed += block.raw.length;
    }
    return [...this.#done, ...tail.slice(settled)];
  }

  #finish(text: string): Block[] {
    const before = this.blocks;
    // A definition anywhere may change a link anywhere, so those are never reused.
    const linked = /\]\s*\[|\]:/.test(text);
    return blocksOf(lex(text)).map((block, at) => {
      const known = before[at];
      return known?.raw === block.raw && !linked ? known : block;
    });
  }
}

/** Top-level tokens as blocks; blank space goes with what is before it. */
function blocksOf(tokens: Token[]): Block[] {
  const blocks: Block[] = [];
  for (const token of tokens) {
    const last = blocks.at(-1);
    if (token.type === "space" && last) {
      last.raw += token.raw;
    } else {
      blocks.push({ raw: token.raw, tokens: [token] });
    }
  }
  return blocks;
}
