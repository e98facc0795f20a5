import { expect, test, vi } from "vitest";
import type { Api } from "../src/core/api";
import { SessionStore } from "../src/core/session";
import type { ToolRow } from "../src/core/rows";
import { t } from "../src/i18n";
import { Announcer } from "../src/transcript/announcer";
import { DiffCardView } from "../src/transcript/cards/diff";
import { GenericView, ReadView, SearchView } from "../src/transcript/cards/plain";
import { TerminalView } from "../src/transcript/cards/terminal";
import { verbOf } from "../src/transcript/verbs";
import type { AnyCard, SessionEvent } from "../src/wire";
import { Log, text } from "./events";
import { settled, stage } from "./stage";

const CARDS: [string, typeof DiffCardView, object][] = [
  ["diff", DiffCardView, { diffs: [{ path: "a.txt", oldText: "a", newText: "b", line: 1 }] }],
  ["read", ReadView, { path: "a.txt" }],
  ["search", SearchView, {}],
  ["generic", GenericView, {}],
  ["terminal", TerminalView, {}],
];

function opened(events: SessionEvent[]): SessionStore {
  const store = new SessionStore("s", { call: vi.fn(async () => ({})) } as unknown as Api);
  const queue = { nextTurn: [], nextStep: [] };
  const range = { lastSeq: events.length - 1, firstSeq: 0, hasMore: false };
  const data = { ...range, events, queue, live: { status: "idle" }, readOnly: null };
  store.receive({ topic: "session:s", type: "session/snapshot", data });
  return store;
}

function arrive(store: SessionStore, ...events: SessionEvent[]): void {
  for (const event of events) {
    store.receive({ topic: "session:s", type: "session/event", seq: event.seq, data: event });
  }
  store.transcript.peek().flush();
}

function idle(store: SessionStore): void {
  store.receive({ topic: "session:s", type: "session/status", data: { status: "idle" } });
}

function turn(log: Log, number: number, words: string): SessionEvent[] {
  const from = log.events.length;
  log.open(number);
  log.prompt("question");
  log.answer(number, 1, [text(words)]);
  log.end(number);
  return log.events.slice(from);
}

test("an answer that was there before is not announced", async () => {
  const log = new Log();
  const store = opened(turn(log, 1, "old answer"));
  const desk = stage();
  desk.show(<Announcer store={store} />);
  await settled();
  expect(desk.place.textContent).toBe("");
});

test.each(["before", "after", "later"])("a new answer is announced, its state %s it", async (when) => {
  const log = new Log();
  const store = opened(turn(log, 1, "same words"));
  const desk = stage();
  desk.show(<Announcer store={store} />);
  const events = turn(log, 2, "same words");
  arrive(store, ...events.slice(0, -1));
  await settled();
  if (when === "before") idle(store);
  arrive(store, events.at(-1)!);
  if (when === "later") await settled();
  if (when !== "before") idle(store);
  await settled();
  expect(desk.place.textContent).toBe(`${t("log.finished")} same words`);
});

test.each(CARDS)("an open %s card follows its call", async (kind, View, more) => {
  const log = new Log();
  const card = { kind, title: "it", ...more } as AnyCard;
  log.open(1);
  log.call(1, 1, "c1", card);
  log.add("approval/asked", { id: "p1", callId: "c1" });
  const store = opened(log.events);
  const row = store.transcript.value.rows.find((each): each is ToolRow => each.kind === "tool")!;
  const desk = stage();
  desk.show(<View card={card} row={row} store={store} />);
  const state = () => [
    desk.part(`card-${kind}`).dataset.state,
    desk.place.querySelector(".verb")?.textContent,
  ];
  expect(state()).toEqual(["waiting", verbOf(row)]);
  arrive(store, log.add("approval/decided", { id: "p1", outcome: "allowed-once" }));
  await settled();
  expect(state()).toEqual(["running", verbOf(row)]);
  expect(row.state).toBe("running");
});
