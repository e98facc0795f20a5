/** Key chords as text ("mod+shift+k"): matching an event, and caps for the screen. */

const MAC = /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? "");

interface Chord {
  mod: boolean;
  shift: boolean;
  alt: boolean;
  key: string;
}

function parse(text: string): Chord {
  const parts = text.split("+");
  const key = parts.pop()!.toLowerCase();
  const has = (name: string) => parts.includes(name);
  return { mod: has("mod"), shift: has("shift"), alt: has("alt"), key };
}

/** Input methods own the keyboard while they compose; 229 is what some report instead. */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

export function matches(text: string, event: KeyboardEvent): boolean {
  const chord = parse(text);
  const mod = MAC ? event.metaKey : event.ctrlKey;
  const other = MAC ? event.ctrlKey : event.metaKey;
  if (mod !== chord.mod || other || event.altKey !== chord.alt) return false;
  if (event.key.toLowerCase() !== chord.key) return false;
  // Signs like "/" may need shift on some layouts.
  return event.shiftKey === chord.shift || /^[^\w\s]$/.test(chord.key);
}

const CAPS: Record<string, string> = {
  mod: MAC ? "⌘" : "Ctrl",
  shift: "⇧",
  alt: MAC ? "⌥" : "Alt",
  enter: "Enter",
  escape: "Esc",
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
};

export function caps(text: string): string[] {
  return text.split("+").map((part) => CAPS[part.toLowerCase()] ?? part.toUpperCase());
}
