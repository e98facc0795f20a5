/**
 * The downlink: one socket that resumes where it stopped.
 *
 * "connected" is only said while both directions work: a ping must be answered within
 * `PONG_MS`. Positions are asked for at every hello, so nothing is lost or repeated.
 */

import { signal } from "@preact/signals-core";
import type { Frame } from "../wire";
import { delayOf } from "./backoff";

export type LinkState = "connecting" | "connected" | "reconnecting" | "refused";

const PING_MS = 4_000;
const PONG_MS = 4_000;

export interface Positions {
  host: { epoch: string; seq: number } | null;
  sessions: Record<string, number>;
}

export interface LinkOptions {
  token: string;
  url: string;
  positions(): Positions;
  frames(items: Frame[]): void;
  /** Whether the host says that it does not know this page: a refused socket says nothing. */
  refused?: () => Promise<boolean>;
  /** For tests. */
  open?: (url: string) => WebSocket;
}

export class Link {
  readonly state = signal<LinkState>("connecting");
  /** When the next attempt is made (ms), while waiting for one. */
  readonly nextTry = signal(0);
  #socket: WebSocket | null = null;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pulse: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #opened = false;
  #stop = new AbortController();

  constructor(private readonly options: LinkOptions) {}

  start(): void {
    const { signal: gone } = this.#stop;
    globalThis.addEventListener?.("online", () => this.retryNow(), { signal: gone });
    globalThis.document?.addEventListener(
      "visibilitychange",
      () => document.visibilityState === "visible" && this.retryNow(),
      { signal: gone },
    );
    this.#connect();
  }

  /** Leave for good. */
  close(): void {
    this.#closed = true;
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.#drop();
  }

  /** Do not wait for the next attempt. */
  retryNow(): void {
    if (this.#closed || this.#socket || this.state.value === "refused") return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  subscribe(session: string, lastSeq: number): void {
    this.#send({ op: "subscribe", session, lastSeq });
  }

  unsubscribe(session: string): void {
    this.#send({ op: "unsubscribe", session });
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #connect(): void {
    const open = this.options.open ?? ((url) => new WebSocket(url));
    const socket = open(this.options.url);
    this.#socket = socket;
    this.#opened = false;
    socket.onopen = () => {
      this.#opened = true;
      const { host, sessions } = this.options.positions();
      const hello = { op: "hello", token: this.options.token, sessions };
      this.#send(host ? { ...hello, host } : hello);
      this.#ping();
    };
    socket.onmessage = (event) => this.#receive(socket, String(event.data));
    socket.onclose = (event) => this.#lost(socket, event.code);
    // A socket that never opens: the close event may take minutes.
    this.#watch(PONG_MS * 2);
  }

  #receive(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return;
    const parsed = JSON.parse(text) as Frame[] | Frame;
    const items = (Array.isArray(parsed) ? parsed : [parsed]).filter((item) => {
      if (item.type !== "pong") return true;
      this.#alive();
      return false;
    });
    if (items.length) this.options.frames(items);
  }

  #ping(): void {
    this.#send({ op: "ping" });
    this.#watch(PONG_MS);
  }

  #watch(ms: number): void {
    clearTimeout(this.#pulse);
    this.#pulse = setTimeout(() => this.#socket && this.#lost(this.#socket, 0), ms);
  }

  #alive(): void {
    this.#attempt = 0;
    this.state.value = "connected";
    clearTimeout(this.#pulse);
    this.#pulse = setTimeout(() => this.#ping(), PING_MS);
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.#closed) return;
    if (code === 4401 || code === 4403) {
      this.state.value = "refused";
      return;
    }
    this.state.value = "reconnecting";
    const delay = code === 4408 ? 0 : delayOf(this.#attempt++);
    this.nextTry.value = Date.now() + delay;
    this.#timer = setTimeout(() => this.#connect(), delay);
    if (!this.#opened) void this.#ask();
  }

  async #ask(): Promise<void> {
    if (!(await this.options.refused?.()) || this.#closed || this.state.peek() === "connected") return;
    clearTimeout(this.#timer);
    this.#drop();
    this.state.value = "refused";
  }

  #drop(): void {
    clearTimeout(this.#pulse);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
