/**
 * Output of programs as styled lines: colours are kept, cursor tricks are replayed as
 * far as one line goes, everything else of a terminal's language is dropped.
 */

export interface Span {
  text: string;
  /** Class names, space separated; empty for plain. */
  style: string;
}

// CSI, OSC (ended by BEL or ST), and two-character escapes.
const ESCAPES = new RegExp(
  [
    "\\x1b\\[([0-9;:?]*)[ -/]*([@-~])",
    "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)",
    "\\x1b[P^_X][^\\x1b]*\\x1b\\\\",
    "\\x1b[ -/]*[0-~]",
  ].join("|"),
  "g",
);
const UNPRINTED = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

class Style {
  colour = "";
  bold = false;
  dim = false;

  apply(codes: string): void {
    const numbers = codes.split(/[;:]/).map((code) => Number(code || 0));
    for (let at = 0; at < numbers.length; at++) {
      const code = numbers[at]!;
      if (code === 0) Object.assign(this, { colour: "", bold: false, dim: false });
      else if (code === 1) this.bold = true;
      else if (code === 2) this.dim = true;
      else if (code === 22) this.bold = this.dim = false;
      else if (code === 39) this.colour = "";
      else if (code >= 30 && code <= 37) this.colour = COLOURS[code - 30]!;
      else if (code >= 90 && code <= 97) this.colour = COLOURS[code - 90]!;
      // Palette and true colours are not ours to show; their arguments are passed over.
      else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
    }
  }

  get names(): string {
    const colour = this.colour && `a-${this.colour}`;
    return [colour, this.bold && "a-bold", this.dim && "a-dim"].filter(Boolean).join(" ");
  }
}

/** What a carriage return leaves on the line: later text over earlier. */
function overwritten(line: string): string {
  if (!line.includes("\r")) return line;
  let result = "";
  for (const part of line.split("\r")) {
    if (part) result = part + result.slice(part.length);
  }
  return result;
}

function withBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  const kept: string[] = [];
  for (const char of line) {
    if (char === "\b") kept.pop();
    else kept.push(char);
  }
  return kept.join("");
}

function clean(text: string): string {
  return withBackspaces(text).replace(UNPRINTED, "");
}

/** Splits output into lines of spans; styles reach over line ends. */
export function ansiLines(output: string): Span[][] {
  const style = new Style();
  const text = output.replace(/\r+\n/g, "\n").replace(/\n$/, "");
  return text.split("\n").map((line) => lineOf(line, style));
}

function lineOf(line: string, style: Style): Span[] {
  if (!line.includes("\x1b")) {
    return [{ text: clean(overwritten(line)), style: style.names }];
  }
  const spans: Span[] = [];
  let from = 0;
  const push = (to: number) => {
    const part = line.slice(from, to);
    const back = part.lastIndexOf("\r");
    // Colours and overwriting together: the last rewrite is what one would see.
    if (back >= 0 && part.slice(back + 1)) spans.length = 0;
    const shown = clean(back >= 0 ? part.slice(back + 1) : part);
    if (shown) spans.push({ text: shown, style: style.names });
  };
  for (const found of line.matchAll(ESCAPES)) {
    push(found.index);
    if (found[2] === "m") style.apply(found[1] ?? "");
    from = found.index + found[0].length;
  }
  push(line.length);
  return spans;
}

/** The last `lines` lines of output, without looking at what comes before. */
export function lastLines(output: string, lines: number): string {
  let at = output.endsWith("\n") ? output.length - 1 : output.length;
  for (let left = lines; left > 0 && at > 0; left--) at = output.lastIndexOf("\n", at - 1);
  return at <= 0 ? output : output.slice(at + 1);
}

export function lineCount(output: string): number {
  if (!output) return 0;
  let count = output.endsWith("\n") ? 0 : 1;
  for (let at = output.indexOf("\n"); at >= 0; at = output.indexOf("\n", at + 1)) count++;
  return count;
}
