/**
 * Which part of a long list is drawn: heights are measured once known, guessed before.
 * Free of the view library, so that its arithmetic can be tested.
 */

export interface Keyed {
  key: string;
}

export class Heights {
  readonly #known = new Map<string, number>();
  #keys: string[] = [];
  #tops: number[] = [0];

  constructor(private readonly guess: number) {}

  /** Take over a list; known heights stay. */
  list(items: readonly Keyed[]): void {
    this.#keys = items.map((item) => item.key);
    this.#lay();
  }

  #lay(): void {
    const tops = new Array<number>(this.#keys.length + 1);
    let top = 0;
    for (let at = 0; at < this.#keys.length; at++) {
      tops[at] = top;
      top += this.#known.get(this.#keys[at]!) ?? this.guess;
    }
    tops[this.#keys.length] = top;
    this.#tops = tops;
  }

  /** Note measured heights; true when one was new. */
  measured(heights: Iterable<[string, number]>): boolean {
    let changed = false;
    for (const [key, height] of heights) {
      if (this.#known.get(key) === height) continue;
      this.#known.set(key, height);
      changed = true;
    }
    if (changed) this.#lay();
    return changed;
  }

  get total(): number {
    return this.#tops[this.#keys.length] ?? 0;
  }

  topOf(index: number): number {
    return this.#tops[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  indexOf(key: string): number {
    return this.#keys.indexOf(key);
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  /** The item that covers this distance from the top. */
  at(y: number): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#tops[middle + 1] ?? 0) <= y) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(0, this.#keys.length - 1));
  }

  /** Items that touch the stretch from `top`, `height` long, with `spare` on both sides. */
  range(top: number, height: number, spare: number): [from: number, to: number] {
    if (!this.#keys.length) return [0, 0];
    return [this.at(Math.max(0, top - spare)), this.at(top + height + spare) + 1];
  }
}
