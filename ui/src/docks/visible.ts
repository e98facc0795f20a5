/**
 * Text with nothing hidden in it: what a person approves is what they see.
 *
 * Characters that draw nothing, change direction, or look like a space but are none are
 * written as escapes; long runs of spaces as a count; words that mix scripts are marked.
 */

export interface Piece {
  text: string;
  /** Written instead of what cannot be seen. */
  kind: "plain" | "escape" | "mixed";
}

export interface Visible {
  pieces: Piece[];
  /** All pieces joined. */
  text: string;
  hidden: number;
  longSpaces: boolean;
  mixed: boolean;
  lines: number;
}

// Control, format (bidi, zero width, tags), line separators, private, unassigned, lone
// surrogates, odd spaces, variation selectors, and letters that draw nothing.
const UNSEEN = new RegExp(
  [
    "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}\\p{Cn}\\p{Cs}]",
    "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0]",
    "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    "(?! )\\p{Zs}",
  ].join("|"),
  "u",
);
const SPACES = / {20,}/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

const NAMED: Record<string, string> = { "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b", "\0": "\\0" };

function escapeOf(char: string): string {
  const named = NAMED[char];
  if (named) return named;
  const code = char.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

function isMixed(word: string): boolean {
  return LATIN.test(word) && LOOKALIKE.test(word);
}

/** Splits plain text at words that mix scripts. */
function pushPlain(pieces: Piece[], text: string): void {
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    if (!isMixed(found[0])) continue;
    if (found.index > from) pieces.push({ kind: "plain", text: text.slice(from, found.index) });
    pieces.push({ kind: "mixed", text: found[0] });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ kind: "plain", text: text.slice(from) });
}

export function visible(raw: string): Visible {
  const pieces: Piece[] = [];
  let plain = "";
  let hidden = 0;
  let longSpaces = false;
  const flush = () => {
    if (plain) pushPlain(pieces, plain);
    plain = "";
  };
  for (const part of raw.split(/( {20,})/)) {
    if (SPACES.test(part)) {
      flush();
      longSpaces = true;
      pieces.push({ kind: "escape", text: `[${part.length} × U+0020]` });
      continue;
    }
    for (const char of part) {
      if (char === "\n" || !UNSEEN.test(char)) {
        plain += char;
        continue;
      }
      flush();
      hidden++;
      pieces.push({ kind: "escape", text: escapeOf(char) });
    }
  }
  flush();
  return {
    pieces,
    text: pieces.map((piece) => piece.text).join(""),
    hidden,
    longSpaces,
    mixed: pieces.some((piece) => piece.kind === "mixed"),
    lines: raw.split("\n").length,
  };
}
