import { expect, test, vi } from "vitest";
import type { Api } from "../src/core/api";
import { SessionStore } from "../src/core/session";
import type { SessionEvent } from "../src/wire";
import { Log, text } from "./events";

function api(answers: Record<string, unknown>): Api {
  return { call: vi.fn(async (method: string) => answers[method]) } as unknown as Api;
}

function session(turns: number): Log {
  const log = new Log();
  for (let turn = 1; turn <= turns; turn++) {
    log.open(turn);
    log.prompt(`question ${turn}`);
    log.answer(turn, 1, [text(`answer ${turn}`)]);
    log.end(turn);
  }
  return log;
}

function snapshot(events: SessionEvent[], more: object = {}) {
  const data = {
    lastSeq: events.at(-1)?.seq ?? -1,
    events,
    firstSeq: events[0]?.seq ?? 0,
    hasMore: false,
    queue: { nextTurn: [], nextStep: [] },
    live: { status: "idle" },
    readOnly: null,
    ...more,
  };
  return { topic: "session:s", type: "session/snapshot", data };
}

function live(event: SessionEvent) {
  return { topic: "session:s", type: "session/event", seq: event.seq, data: event };
}

const said = (store: SessionStore) =>
  store.transcript.value.rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));

test("an event that arrives twice is shown once", () => {
  const log = session(1);
  const store = new SessionStore("s", api({}));
  store.receive(snapshot(log.events.slice(0, 3)));
  for (const event of [...log.events, ...log.events]) store.receive(live(event));
  expect(said(store)).toEqual(["answer 1"]);
  expect(store.lastSeq).toBe(log.events.at(-1)!.seq);
});

test("older history joins before what is shown, with the same names for the same rows", async () => {
  const log = session(4);
  const cut = log.events.findIndex((e) => e.type === "turn/start" && e.seq > 8);
  const older = { events: log.events.slice(0, cut), firstSeq: 0, hasMore: false };
  const store = new SessionStore("s", api({ "session/history": older }));
  store.receive(snapshot(log.events.slice(cut), { hasMore: true }));
  const before = store.transcript.value.rows.map((row) => row.key);
  await store.loadOlder();
  const after = store.transcript.value.rows.map((row) => row.key);
  expect(said(store)).toEqual([1, 2, 3, 4].map((n) => `answer ${n}`));
  expect(after.slice(-before.length)).toEqual(before);
  expect(store.hasMore.value).toBe(false);
});

test("a page that was overtaken by a new snapshot is dropped", async () => {
  const log = session(3);
  let arrive: (page: unknown) => void = () => undefined;
  const call = () => new Promise((resolve) => (arrive = resolve));
  const store = new SessionStore("s", { call } as unknown as Api);
  store.receive(snapshot(log.events.slice(10), { hasMore: true }));
  const loading = store.loadOlder();
  store.receive(snapshot(log.events));
  arrive({ events: log.events.slice(0, 10), firstSeq: 0, hasMore: false });
  await loading;
  expect(said(store)).toEqual(["answer 1", "answer 2", "answer 3"]);
});

test("a message is shown from its sending until the log or the queue has it", async () => {
  const store = new SessionStore("s", api({ "session/prompt": { messageId: "m1" } }));
  store.receive(snapshot([]));
  const sent = store.send("hello", "queue");
  expect(store.pending.value.map((p) => p.text)).toEqual(["hello"]);
  await sent;
  expect(store.pending.value).toHaveLength(1);
  const log = new Log();
  store.receive(live(log.prompt("hello", "m1")));
  expect(store.pending.value).toEqual([]);
});

test("a message that the log has before its answer came is not shown twice", async () => {
  let answer: (told: unknown) => void = () => undefined;
  const call = () => new Promise((resolve) => (answer = resolve));
  const store = new SessionStore("s", { call } as unknown as Api);
  store.receive(snapshot([]));
  const sent = store.send("hello", "queue");
  store.receive(live(new Log().prompt("hello", "m1")));
  answer({ messageId: "m1" });
  await sent;
  expect(store.pending.value).toEqual([]);
});

test("a message that could not be sent leaves no trace", async () => {
  const call = () => Promise.reject(new Error("gone"));
  const store = new SessionStore("s", { call } as unknown as Api);
  await expect(store.send("hello", "queue")).rejects.toThrow("gone");
  expect(store.pending.value).toEqual([]);
});

test("a session that cannot be read says why", () => {
  const store = new SessionStore("s", api({}));
  const data = { code: "BROKEN", message: "damaged after event 4" };
  store.receive({ topic: "session:s", type: "session/unavailable", data });
  expect(store.unavailable.value).toBe("damaged after event 4");
});
