/** One session as the page sees it: transcript, queue, live state, paging. */

import { batch, signal } from "@preact/signals-core";
import type { Frame, LiveState, QueueState, SessionEvent, SessionSnapshot } from "../wire";
import type { Api } from "./api";
import { Transcript } from "./fold";
import { perFrame } from "./frames";

export interface PendingPrompt {
  clientId: string;
  text: string;
  messageId?: string;
}

const PAGE = 200;
const NO_QUEUE: QueueState = { nextTurn: [], nextStep: [] };

function messagesIn(events: SessionEvent[]): string[] {
  return events.filter((e) => e.type === "user/message").map((e) => (e.data as { id: string }).id);
}

export class SessionStore {
  readonly transcript = signal(new Transcript());
  readonly queue = signal<QueueState>(NO_QUEUE);
  readonly live = signal<LiveState>({ status: "idle" });
  readonly notice = signal<string | null>(null);
  /** Why it cannot be shown at all. */
  readonly unavailable = signal<string | null>(null);
  readonly readOnly = signal<string | null>(null);
  /** Sent, and not yet seen in log or queue. */
  readonly pending = signal<PendingPrompt[]>([]);
  readonly ready = signal(false);
  readonly hasMore = signal(false);
  readonly loading = signal(false);
  /** Rows that a person opened or closed, by key. */
  readonly folds = signal<ReadonlyMap<string, boolean>>(new Map());
  /** Where the view was when the person left, or null for the end. */
  scroll: { key: string; offset: number } | null = null;
  lastSeq = -1;
  #firstSeq = 0;
  #events: SessionEvent[] = [];
  readonly #flush = perFrame(() => this.transcript.peek().flush());

  constructor(
    readonly id: string,
    private readonly api: Api,
  ) {}

  receive(frame: Frame): void {
    switch (frame.type) {
      case "session/event":
        this.#event(frame.data as SessionEvent);
        break;
      case "session/snapshot":
        this.#snapshot(frame.data as SessionSnapshot);
        break;
      case "session/output": {
        const { callId, text } = frame.data as { callId: string; text: string };
        this.transcript.peek().output(callId, text);
        this.#flush();
        break;
      }
      case "session/status":
        this.live.value = frame.data as LiveState;
        break;
      case "session/queue":
        this.queue.value = frame.data as QueueState;
        this.#settle(this.#queued());
        break;
      case "session/unavailable":
        this.unavailable.value = (frame.data as { message: string }).message;
    }
  }

  setFold(key: string, open: boolean): void {
    this.folds.value = new Map(this.folds.peek()).set(key, open);
  }

  #event(event: SessionEvent): void {
    if (event.seq <= this.lastSeq) return;
    this.lastSeq = event.seq;
    this.#keep(event);
    const transcript = this.transcript.peek();
    transcript.apply(event);
    if (event.type === "user/message") this.#settle(new Set([(event.data as { id: string }).id]));
    if (event.type === "turn/start") this.live.value = { ...this.live.peek(), status: "running" };
    this.#flush();
  }

  /** What a later rebuild needs: everything but the chunks of finished answers. */
  #keep(event: SessionEvent): void {
    if (event.type === "assistant/message" || event.type === "llm/retry") {
      let at = this.#events.length;
      while (at > 0 && this.#events[at - 1]!.type === "assistant/chunk") at--;
      this.#events.length = at;
    }
    this.#events.push(event);
  }

  #snapshot(snapshot: SessionSnapshot): void {
    this.#events = [];
    const transcript = new Transcript();
    for (const event of snapshot.events) {
      this.#keep(event);
      transcript.apply(event);
    }
    transcript.flush();
    this.lastSeq = snapshot.lastSeq;
    this.#firstSeq = snapshot.firstSeq;
    batch(() => {
      this.transcript.value = transcript;
      this.queue.value = snapshot.queue;
      this.live.value = snapshot.live;
      this.notice.value = snapshot.notice ?? null;
      this.unavailable.value = null;
      this.readOnly.value = snapshot.readOnly;
      this.hasMore.value = snapshot.hasMore;
      this.ready.value = true;
      this.#settle(new Set([...this.#queued(), ...messagesIn(snapshot.events)]));
    });
  }

  /** Load the page of history before the first known event. */
  async loadOlder(): Promise<void> {
    if (this.loading.peek() || !this.hasMore.peek()) return;
    this.loading.value = true;
    const before = this.#firstSeq;
    try {
      const request = { sessionId: this.id, beforeSeq: before, limit: PAGE };
      const page = await this.api.call("session/history", request);
      if (before !== this.#firstSeq) return; // a snapshot came in between
      this.#events = [...page.events.filter((event) => event.seq < before), ...this.#events];
      this.#firstSeq = page.firstSeq;
      const transcript = new Transcript();
      for (const event of this.#events) transcript.apply(event);
      transcript.flush();
      batch(() => {
        this.transcript.value = transcript;
        this.hasMore.value = page.hasMore;
      });
    } finally {
      this.loading.value = false;
    }
  }

  async send(text: string, mode: "queue" | "steer"): Promise<void> {
    const prompt: PendingPrompt = { clientId: crypto.randomUUID(), text };
    const request = { sessionId: this.id, text, mode, clientId: prompt.clientId };
    this.pending.value = [...this.pending.peek(), prompt];
    try {
      const { messageId } = await this.api.call("session/prompt", request);
      this.#named(prompt.clientId, messageId);
    } catch (error) {
      this.pending.value = this.pending.peek().filter((p) => p.clientId !== prompt.clientId);
      throw error;
    }
  }

  #named(clientId: string, messageId: string): void {
    const seen = this.#seen.has(messageId) || this.#queued().has(messageId);
    this.pending.value = this.pending
      .peek()
      .map((p) => (p.clientId === clientId ? { ...p, messageId } : p))
      .filter((p) => !(seen && p.clientId === clientId));
  }

  #queued(): Set<string> {
    const { nextTurn, nextStep } = this.queue.peek();
    return new Set([...nextTurn, ...nextStep].map((item) => item.id));
  }

  readonly #seen = new Set<string>();

  /** Prompts that log or queue now show need no bubble of their own. */
  #settle(ids: Set<string>): void {
    for (const id of ids) this.#seen.add(id);
    const left = this.pending.peek().filter((p) => !p.messageId || !ids.has(p.messageId));
    if (left.length !== this.pending.peek().length) this.pending.value = left;
  }
}
