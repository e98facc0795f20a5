/** What must last of the page: kept by the host, because a page's origin does not last. */

import { signal } from "@preact/signals-core";
import type { Json } from "../wire";
import type { Api } from "./api";

const SAVE_MS = 400;

export class Prefs {
  readonly state = signal<Readonly<Record<string, Json>>>({});
  readonly loaded = signal(false);
  #patch: Record<string, Json> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly api: Api) {}

  async load(): Promise<void> {
    const { state } = await this.api.call("ui/state", {});
    // What was changed before the answer came is newer.
    this.state.value = { ...(state as Record<string, Json>), ...this.#patch };
    this.loaded.value = true;
  }

  get<T extends Json>(name: string, otherwise: T): T {
    const value = this.state.value[name];
    return value === undefined || value === null ? otherwise : (value as T);
  }

  peek<T extends Json>(name: string, otherwise: T): T {
    const value = this.state.peek()[name];
    return value === undefined || value === null ? otherwise : (value as T);
  }

  /** Change and keep; null forgets. */
  set(name: string, value: Json): void {
    if (this.state.peek()[name] === value) return;
    this.state.value = { ...this.state.peek(), [name]: value };
    this.#patch[name] = value;
    this.#timer ??= setTimeout(() => void this.save(), SAVE_MS);
  }

  /** Keep without telling readers: for what changes with every key, like drafts. */
  keep(name: string, value: Json): void {
    const state = this.state.peek() as Record<string, Json>;
    if (state[name] === value) return;
    state[name] = value;
    this.#patch[name] = value;
    this.#timer ??= setTimeout(() => void this.save(), SAVE_MS);
  }

  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const patch = this.#patch;
    this.#patch = {};
    if (!Object.keys(patch).length) return;
    try {
      await this.api.call("ui/saveState", { patch });
    } catch {
      // Not reachable now: the next change carries these along.
      this.#patch = { ...patch, ...this.#patch };
    }
  }
}
