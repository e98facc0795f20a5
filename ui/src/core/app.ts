/** The page's runtime: everything that lives as long as the window, free of views. */

import { effect } from "@preact/signals-core";
import type { Frame } from "../wire";
import { type Api, ApiError, httpApi } from "./api";
import { type BootFacts, bootFacts } from "./boot";
import { HostStore } from "./host";
import { Navigation } from "./navigation";
import { Prefs } from "./prefs";
import { SessionStore } from "./session";
import { Link } from "./socket";

const STORES_KEPT = 6;

export class App {
  readonly api: Api;
  readonly host: HostStore;
  readonly prefs: Prefs;
  readonly nav = new Navigation();
  readonly link: Link;
  readonly #stores = new Map<string, SessionStore>();
  #open: string | null = null;

  constructor(
    readonly facts: BootFacts = bootFacts(),
    api: Api = httpApi(facts.token),
  ) {
    this.api = api;
    this.host = new HostStore(api);
    this.prefs = new Prefs(api);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.link = new Link({
      token: facts.token,
      url: `${scheme}://${location.host}/api/events`,
      positions: () => ({ host: this.host.position, sessions: this.#positions() }),
      frames: (items) => this.receive(items),
      refused: () =>
        api.call("host/describe", {}).then(
          () => false,
          (error) => error instanceof ApiError && (error.status === 401 || error.status === 403),
        ),
    });
  }

  start(): void {
    this.link.start();
    void this.prefs.load().catch(() => undefined);
    effect(() => {
      if (this.link.state.value === "connected") void this.host.load();
    });
    effect(() => this.#show(this.nav.place.value));
    addEventListener("pagehide", () => void this.prefs.save());
  }

  receive(frames: Frame[]): void {
    for (const frame of frames) {
      if (frame.topic === "host") this.host.receive(frame);
      else this.#stores.get(frame.topic.slice("session:".length))?.receive(frame);
    }
  }

  session(id: string): SessionStore {
    let store = this.#stores.get(id);
    if (!store) {
      store = new SessionStore(id, this.api);
      this.#stores.set(id, store);
      this.#forgetOld();
    }
    return store;
  }

  /** Run a call whose failure the person should see. True when it went well. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  fail(error: unknown): void {
    const known = error instanceof ApiError;
    const remedy = known ? (error.remedy ?? null) : null;
    this.host.toast({ level: "error", message: String(known ? error.message : error), remedy });
  }

  #positions(): Record<string, number> {
    const store = this.#open ? this.#stores.get(this.#open) : undefined;
    return store ? { [store.id]: store.lastSeq } : {};
  }

  #show(place: Navigation["place"]["value"]): void {
    const id = place.at === "session" ? place.sessionId : null;
    if (id === this.#open) return;
    if (this.#open) this.link.unsubscribe(this.#open);
    this.#open = id;
    if (!id) return;
    const store = this.session(id);
    this.#stores.delete(id);
    this.#stores.set(id, store); // newest last
    this.link.subscribe(id, store.lastSeq);
  }

  #forgetOld(): void {
    for (const id of this.#stores.keys()) {
      if (this.#stores.size <= STORES_KEPT) return;
      if (id !== this.#open) this.#stores.delete(id);
    }
  }
}
