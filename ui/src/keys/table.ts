/** The one table: it binds the keys, fills the palette and prints the shortcut sheet. */

import type { IconName } from "../icons/shapes";
import type { Key } from "../i18n";

export interface Command {
  id: string;
  title: Key;
  group: "general" | "session" | "approval" | "none";
  icon?: IconName;
  /** Chords that run it from anywhere. */
  keys?: string[];
  /** Shown in the sheet only: the part that has the focus handles them itself. */
  local?: boolean;
  /** Not offered in the palette. */
  hidden?: boolean;
  run?: () => void;
  /** Whether it makes sense now. */
  when?: () => boolean;
}

export class CommandTable {
  #commands: Command[] = [];

  add(...commands: Command[]): void {
    this.#commands.push(...commands);
  }

  get all(): readonly Command[] {
    return this.#commands;
  }

  get(id: string): Command | undefined {
    return this.#commands.find((command) => command.id === id);
  }

  keysOf(id: string): string | undefined {
    return this.get(id)?.keys?.[0];
  }

  run(id: string): void {
    const command = this.get(id);
    if (command && (command.when?.() ?? true)) command.run?.();
  }
}
