/**
 * Places of the page that parts register into, typed by kind.
 *
 * - single: the highest priority wins; an equal one is refused
 * - list: all, in order
 * - keyed: a renderer by key, with a fallback
 * - chain: the first, by ascending order, whose `when` holds
 *
 * Owners pass plain data and callbacks. Every registration gives back its undoing.
 */

import { type Signal, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";

export type Undo = () => void;

interface Entry<P> {
  id: string;
  view: ComponentType<P>;
  order: number;
}

function byOrder<P>(a: Entry<P>, b: Entry<P>): number {
  return a.order - b.order;
}

abstract class Slot<P, E extends Entry<P>> {
  readonly entries: Signal<readonly E[]> = signal([]);
  constructor(readonly name: string) {}

  protected insert(entry: E): Undo {
    this.entries.value = [...this.entries.peek(), entry].sort(byOrder);
    return () => {
      this.entries.value = this.entries.peek().filter((other) => other !== entry);
    };
  }
}

export class SingleSlot<P> extends Slot<P, Entry<P>> {
  register(id: string, view: ComponentType<P>, priority = 0): Undo {
    const order = -priority;
    const rival = this.entries.peek().find((other) => other.order === order);
    if (rival) throw new Error(`slot ${this.name}: ${id} and ${rival.id} have one priority`);
    return this.insert({ id, view, order });
  }

  get winner(): Entry<P> | undefined {
    return this.entries.value[0];
  }
}

export class ListSlot<P> extends Slot<P, Entry<P>> {
  register(id: string, view: ComponentType<P>, order = 0): Undo {
    return this.insert({ id, view, order });
  }
}

interface KeyedEntry<P> extends Entry<P> {
  key: string;
}

/** The key whose renderer takes what no other one does. */
export const FALLBACK = "*";

export class KeyedSlot<P> extends Slot<P, KeyedEntry<P>> {
  register(key: string, view: ComponentType<P>): Undo {
    if (this.entries.peek().some((other) => other.key === key)) {
      throw new Error(`slot ${this.name}: ${key} is taken`);
    }
    return this.insert({ id: key, key, view, order: 0 });
  }

  of(key: string): KeyedEntry<P> | undefined {
    const entries = this.entries.value;
    return entries.find((e) => e.key === key) ?? entries.find((e) => e.key === FALLBACK);
  }
}

interface ChainEntry<P> extends Entry<P> {
  when: (props: P) => boolean;
}

export class ChainSlot<P> extends Slot<P, ChainEntry<P>> {
  register(id: string, view: ComponentType<P>, order: number, when: (props: P) => boolean): Undo {
    return this.insert({ id, view, order, when });
  }

  first(props: P): ChainEntry<P> | undefined {
    return this.entries.value.find((entry) => entry.when(props));
  }
}
