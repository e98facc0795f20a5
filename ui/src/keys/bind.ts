/** Listens for the table's chords. Parts with the focus come first and may take a key. */

import { composing, matches } from "./chord";
import type { CommandTable } from "./table";

function isText(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest?.("input, textarea, [contenteditable]");
}

export function bindKeys(table: CommandTable, blocked: () => boolean): () => void {
  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || composing(event)) return;
    for (const command of table.all) {
      if (command.local || !command.run) continue;
      for (const chord of command.keys ?? []) {
        if (!matches(chord, event)) continue;
        // Bare letters never act while a text field has the focus.
        if (!/mod|alt/.test(chord) && chord.length === 1 && isText(event.target)) continue;
        if (blocked() && command.id !== "palette") return;
        if (!(command.when?.() ?? true)) continue;
        event.preventDefault();
        command.run();
        return;
      }
    }
  }
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
