import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { delayOf } from "../src/core/backoff";
import { Link } from "../src/core/socket";
import type { Frame } from "../src/wire";

class FakeSocket {
  static readonly all: FakeSocket[] = [];
  readyState: number = WebSocket.OPEN;
  sent: { op: string; [key: string]: unknown }[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = WebSocket.CLOSED;
  }
  receive(...frames: object[]) {
    this.onmessage?.({ data: JSON.stringify(frames) });
  }
  pong() {
    this.receive({ topic: "host", type: "pong", data: {} });
  }
}

const seen: Frame[] = [];
const positions = { host: null as { epoch: string; seq: number } | null, sessions: { a: 7 } };
let link: Link;
const newest = () => FakeSocket.all.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all.length = seen.length = 0;
  link = new Link({
    token: "page",
    url: "ws://x",
    positions: () => positions,
    frames: (items) => seen.push(...items),
    open: () => new FakeSocket() as unknown as WebSocket,
  });
  link.start();
  newest().onopen?.();
});

afterEach(() => {
  link.close();
  vi.useRealTimers();
});

test("hello tells the token and where to go on", () => {
  expect(newest().sent[0]).toEqual({ op: "hello", token: "page", sessions: { a: 7 } });
});

test("connected is said only once the host has answered", () => {
  expect(link.state.value).toBe("connecting");
  newest().pong();
  expect(link.state.value).toBe("connected");
  expect(seen).toEqual([]);
});

test("a host that does not answer any more is noticed within ten seconds", () => {
  newest().pong();
  vi.advanceTimersByTime(10_000);
  expect(link.state.value).toBe("reconnecting");
});

test("a host that keeps answering stays connected", () => {
  for (let n = 0; n < 20; n++) {
    newest().pong();
    vi.advanceTimersByTime(4_000);
  }
  expect(link.state.value).toBe("connected");
  expect(FakeSocket.all).toHaveLength(1);
});

test("a lost socket is opened again with the newest positions", () => {
  newest().pong();
  positions.host = { epoch: "e", seq: 3 };
  positions.sessions = { a: 9 };
  newest().onclose?.({ code: 1006 });
  vi.advanceTimersByTime(10_000);
  expect(FakeSocket.all.length).toBeGreaterThan(1);
  newest().onopen?.();
  expect(newest().sent[0]).toMatchObject({ host: { epoch: "e", seq: 3 }, sessions: { a: 9 } });
});

test("a slow client comes back at once", () => {
  newest().onclose?.({ code: 4408 });
  vi.advanceTimersByTime(0);
  expect(FakeSocket.all).toHaveLength(2);
});

test("a page that the host does not know stops asking", () => {
  newest().onclose?.({ code: 4401 });
  vi.advanceTimersByTime(60_000);
  expect(link.state.value).toBe("refused");
  expect(FakeSocket.all).toHaveLength(1);
});

test("frames of a socket that was given up are ignored", () => {
  const old = newest();
  const handler = old.onmessage;
  old.onclose?.({ code: 1006 });
  handler?.({ data: JSON.stringify([{ topic: "host", type: "host/notice", data: {} }]) });
  expect(seen).toEqual([]);
});

test("waits grow from half a second to ten and never fall out of that", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 12].map((n) => [delayOf(n, () => 0), delayOf(n, () => 1)]);
  for (const [least, most] of waits) {
    expect(least).toBeGreaterThanOrEqual(500);
    expect(most).toBeLessThanOrEqual(10_000);
  }
  expect(waits[2]![1]).toBe(2000);
});
