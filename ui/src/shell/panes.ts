/** F6: from pane to pane. */

const PANES = [".bar", "#side", "#transcript", ".approval", ".composer-text", ".status"];
const FOCUSABLE = "button:not([disabled]), input, textarea, [tabindex]";

function focusIn(pane: HTMLElement): void {
  const target = pane.matches(FOCUSABLE) ? pane : pane.querySelector<HTMLElement>(FOCUSABLE);
  target?.focus();
}

export function movePane(step: 1 | -1): void {
  const panes = PANES.map((name) => document.querySelector<HTMLElement>(name)).filter(
    (pane): pane is HTMLElement => !!pane && pane.offsetParent !== null,
  );
  if (!panes.length) return;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  focusIn(panes[(at + step + panes.length) % panes.length]!);
}
