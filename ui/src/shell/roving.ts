/** Arrow keys inside a list of buttons. */

/** Moves the focus among the rows (`.row`, `.group-title`) of the list that has it. */
export function onListKeys(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const rows = [...list.querySelectorAll<HTMLElement>(".row, .group-title")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows.length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
}
