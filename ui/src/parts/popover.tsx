/** A button that opens a floating panel beside itself. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface PopoverProps {
  class: string;
  label?: string | undefined;
  title?: string | undefined;
  trigger: ComponentChildren;
  panel: (close: () => void) => ComponentChildren;
  /** "menu" moves with the arrow keys through its items. */
  role?: "menu" | "dialog";
  panelClass?: string;
  disabled?: boolean;
  testId?: string;
  /** Opened from outside, by raising the number. */
  openWhen?: number;
}

const GAP = 4;
const EDGE = 8;

export function Popover(props: PopoverProps) {
  const { role = "menu" } = props;
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  function close() {
    if (!open.peek()) return;
    open.value = false;
    button.current?.focus();
  }

  useEffect(() => {
    if (props.openWhen) open.value = true;
  }, [props.openWhen]);

  useLayoutEffect(() => {
    if (!open.value) return;
    place(button.current, panel.current);
    focusFirst(panel.current);
    const outside = (event: PointerEvent) => {
      const target = event.target as Node;
      if (panel.current?.contains(target) || button.current?.contains(target)) return;
      open.value = false;
    };
    const moved = () => place(button.current, panel.current);
    addEventListener("pointerdown", outside, true);
    addEventListener("resize", moved);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", moved);
    };
  }, [open.value]);

  function onKey(event: KeyboardEvent) {
    if (event.key === "Escape" || event.key === "Tab") {
      if (event.key === "Escape") event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape" || role === "menu") close();
    } else if (role === "menu") {
      move(panel.current, event);
    }
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={`${props.class} ${open.value ? "on" : ""}`}
        aria-haspopup={role}
        aria-expanded={open.value}
        aria-label={props.label}
        title={props.title ?? props.label}
        disabled={props.disabled ?? false}
        data-testid={props.testId}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {props.trigger}
      </button>
      {open.value && (
        <div
          ref={panel}
          class={`${role === "menu" ? "menu" : "popover"} floating ${props.panelClass ?? ""}`}
          role={role}
          aria-label={props.label}
          tabIndex={-1}
          onKeyDown={onKey}
        >
          {props.panel(close)}
        </div>
      )}
    </>
  );
}

function place(button: HTMLElement | null, panel: HTMLElement | null): void {
  if (!button || !panel) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = innerHeight - at.bottom - GAP - EDGE;
  const above = at.top - GAP - EDGE;
  const up = height > below && above > below;
  const left = Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE));
  panel.style.left = `${left}px`;
  panel.style.maxHeight = `${Math.max(120, up ? above : below)}px`;
  if (up) panel.style.bottom = `${innerHeight - at.top + GAP}px`;
  else panel.style.top = `${at.bottom + GAP}px`;
}

const ITEMS = '[role^="menuitem"]:not([disabled]), input';

function focusFirst(panel: HTMLElement | null): void {
  const wanted = panel?.querySelector<HTMLElement>("input, [aria-checked='true']");
  const target = wanted ?? panel?.querySelector<HTMLElement>(ITEMS) ?? panel;
  target?.focus({ preventScroll: true });
}

function move(panel: HTMLElement | null, event: KeyboardEvent): void {
  if (!panel) return;
  const items = [...panel.querySelectorAll<HTMLElement>(ITEMS)];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (step === undefined || !items.length) return;
  if ((event.key === "Home" || event.key === "End") && items[at]?.tagName === "INPUT") return;
  event.preventDefault();
  items[(step + items.length) % items.length]?.focus();
}
