/** A media query as a signal. */

import { type ReadonlySignal, signal } from "@preact/signals-core";

export function media(query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query);
  const state = signal(list?.matches ?? false);
  list?.addEventListener("change", (event) => {
    state.value = event.matches;
  });
  return state;
}
