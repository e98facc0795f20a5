/** The way from any part to the page's runtime. */

import { computed, signal } from "@preact/signals-core";
import { type ComponentType, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { App } from "../core/app";
import { CommandTable } from "../keys/table";
import { media } from "./media";

export interface DialogProps {
  close(): void;
}

/** State of this window's screen, gone with it. */
export class Screen {
  readonly commands = new CommandTable();
  readonly palette = signal<string | null>(null);
  readonly sheet = signal(false);
  readonly dialog = signal<ComponentType<DialogProps> | null>(null);
  readonly narrow = media("(max-width: 980px)");
  /** Until when (ms) a second Esc stops the turn; 0 for not armed. */
  readonly stopArmed = signal(0);
  /** Raised to bring the focus to the message field. */
  readonly focusComposer = signal(0);

  constructor(readonly app: App) {}

  readonly rail = computed(
    () => this.narrow.value || this.app.prefs.state.value.rail === true,
  );

  open(dialog: ComponentType<DialogProps>): void {
    this.dialog.value = dialog;
  }
}

export const ScreenContext = createContext<Screen | null>(null);

export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (!screen) throw new Error("no screen");
  return screen;
}

export function useApp(): App {
  return useScreen().app;
}
