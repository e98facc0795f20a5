import { expect, test } from "vitest";
import { Transcript } from "../src/core/fold";
import { isGroup, itemsOf } from "../src/core/items";
import { Log, terminal, text } from "./events";

function commands(count: number, bad = -1): Log {
  const log = new Log();
  log.open(1);
  log.prompt("go");
  for (let n = 0; n < count; n++) {
    log.call(1, 1, `c${n}`, terminal(`echo ${n}`));
    const exitCode = n === bad ? 1 : 0;
    log.result(1, 1, `c${n}`, terminal(`echo ${n}`, { exitCode }));
  }
  return log;
}

function shape(log: Log): string[] {
  const transcript = new Transcript();
  for (const event of log.events) transcript.apply(event);
  return itemsOf(transcript.rows, transcript.turn).map((item) =>
    isGroup(item) ? `${item.rows.length} ${item.group}` : `${item.row.kind} ${item.form}`,
  );
}

test("three calls of a kind fold into one line, the last command of the turn stays open", () => {
  expect(shape(commands(5))).toEqual(["user line", "4 terminal", "tool card"]);
});

test("two calls of a kind stay as they are", () => {
  expect(shape(commands(3))).toEqual(["user line", "tool line", "tool line", "tool card"]);
});

test("a failed call never hides in a fold", () => {
  const items = shape(commands(8, 4));
  expect(items).toEqual(["user line", "4 terminal", "tool card", "tool line", "tool line", "tool card"]);
});

test("text between calls ends a fold", () => {
  const log = commands(3);
  log.answer(1, 1, [text("so far")]);
  for (let n = 0; n < 4; n++) {
    log.call(1, 1, `d${n}`, terminal("ls"));
    log.result(1, 1, `d${n}`, terminal("ls", { exitCode: 0 }));
  }
  expect(shape(log)).toEqual(["user line", "3 terminal", "text line", "3 terminal", "tool card"]);
});

test("reads are cards in the current turn and lines in older ones", () => {
  const log = new Log();
  const read = { kind: "read", title: "a.py", path: "a.py" } as const;
  log.open(1);
  log.call(1, 1, "r1", read);
  log.result(1, 1, "r1", read);
  expect(shape(log)).toEqual(["tool card"]);
  log.end(1);
  log.open(2);
  expect(shape(log)).toEqual(["tool line", "foot line"]);
});

test("threads join the rows of one turn only", () => {
  const log = commands(2);
  log.end(1);
  log.open(2);
  log.prompt("next");
  const transcript = new Transcript();
  for (const event of log.events) transcript.apply(event);
  const items = itemsOf(transcript.rows, 2);
  expect(items.map((item) => item.link)).toEqual([false, true, false, false, false]);
  expect(items.map((item) => item.first)).toEqual([true, false, false, false, true]);
});
