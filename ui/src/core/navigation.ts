/** Where the person is, with a way back. */

import { computed, signal } from "@preact/signals-core";

export type Place =
  | { at: "start"; workspaceId?: string | undefined }
  | { at: "session"; sessionId: string }
  | { at: "inbox" }
  | { at: "settings"; page: string };

const KEPT = 50;

export class Navigation {
  readonly #trail = signal<{ places: Place[]; index: number }>({
    places: [{ at: "start" }],
    index: 0,
  });
  readonly place = computed(() => this.#trail.value.places[this.#trail.value.index]!);
  readonly canBack = computed(() => this.#trail.value.index > 0);
  readonly canForward = computed(
    () => this.#trail.value.index < this.#trail.value.places.length - 1,
  );

  go(place: Place): void {
    if (JSON.stringify(place) === JSON.stringify(this.place.peek())) return;
    const { places, index } = this.#trail.peek();
    const kept = [...places.slice(0, index + 1), place].slice(-KEPT);
    this.#trail.value = { places: kept, index: kept.length - 1 };
  }

  /** Be elsewhere without a step in the trail: the old place is no longer of use. */
  replace(place: Place): void {
    const { places, index } = this.#trail.peek();
    const changed = places.slice();
    changed[index] = place;
    this.#trail.value = { places: changed, index };
  }

  back(): void {
    const { places, index } = this.#trail.peek();
    if (index > 0) this.#trail.value = { places, index: index - 1 };
  }

  forward(): void {
    const { places, index } = this.#trail.peek();
    if (index < places.length - 1) this.#trail.value = { places, index: index + 1 };
  }

  /** Out of settings, to the last place that was not one. */
  leaveSettings(): void {
    const { places, index } = this.#trail.peek();
    const last = places.slice(0, index + 1).findLast((place) => place.at !== "settings");
    this.go(last ?? { at: "start" });
  }
}
