import { describe, expect, test } from "vitest";
import { Transcript } from "../src/core/fold";
import type { FootRow, Row, TextRow, ToolRow } from "../src/core/rows";
import type { SessionEvent } from "../src/wire";
import { Log, reasoning, terminal, text, toolCall } from "./events";

function folded(events: SessionEvent[]): Transcript {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  transcript.flush();
  return transcript;
}

const kinds = (rows: Row[]) => rows.map((row) => row.kind);
const tool = (transcript: Transcript) => transcript.rows.find((r) => r.kind === "tool") as ToolRow;

function begun(): Log {
  const log = new Log();
  log.open(1);
  log.prompt("do it");
  return log;
}

describe("an answer", () => {
  test("that streams is one growing row", () => {
    const log = begun();
    log.chunk(1, 1, { type: "block-start", index: 0, blockType: "text" });
    for (const word of ["one ", "two ", "three"]) {
      log.chunk(1, 1, { type: "text-delta", index: 0, text: word });
    }
    const row = folded(log.events).rows.at(-1) as TextRow;
    expect(row).toMatchObject({ kind: "text", text: "one two three", live: true });
  });

  test("has the same rows live and from its final message alone", () => {
    const live = begun();
    live.chunk(1, 1, { type: "reasoning-delta", index: 0, text: "hm" });
    live.chunk(1, 1, { type: "text-delta", index: 1, text: "a" });
    live.chunk(1, 1, { type: "tool-call-delta", index: 2, id: "c1", name: "bash", argumentsDelta: "{" });
    const content = [reasoning("hm"), text("ab"), toolCall("c1")];
    live.answer(1, 1, content);
    const later = begun();
    later.answer(1, 1, content);
    const seen = (t: Transcript) => t.rows.map((r) => [r.kind, r.key, "text" in r ? r.text : ""]);
    expect(seen(folded(live.events))).toEqual(seen(folded(later.events)));
  });

  test("keeps its row when it is complete, so that nothing jumps", () => {
    const log = begun();
    log.chunk(1, 1, { type: "text-delta", index: 0, text: "a" });
    const transcript = folded(log.events);
    const row = transcript.rows.at(-1);
    transcript.apply(log.answer(1, 1, [text("ab")]));
    expect(transcript.rows.at(-1)).toBe(row);
    expect(row).toMatchObject({ text: "ab", live: false });
  });

  test("that was cut off says so", () => {
    const log = begun();
    log.chunk(1, 1, { type: "text-delta", index: 0, text: "half" });
    log.answer(1, 1, [text("half")], { interrupted: true });
    log.end(1, { kind: "aborted", reason: { kind: "user" } });
    const { rows } = folded(log.events);
    expect(rows.find((row) => row.kind === "text")).toMatchObject({ interrupted: true });
    expect(rows.find((row) => row.kind === "note")).toMatchObject({ note: "aborted" });
  });

  test("of blank text has no row", () => {
    const log = begun();
    log.answer(1, 1, [text("  \n"), toolCall("c1")]);
    expect(kinds(folded(log.events).rows)).toEqual(["user", "tool"]);
  });
});

describe("a call", () => {
  test("goes from writing to running to done in one row", () => {
    const log = begun();
    log.chunk(1, 1, { type: "tool-call-delta", index: 0, id: "c1", name: "bash", argumentsDelta: "{}" });
    const transcript = folded(log.events);
    const row = tool(transcript);
    expect(row.state).toBe("writing");
    transcript.apply(log.answer(1, 1, [toolCall("c1")]));
    transcript.apply(log.call(1, 1, "c1", terminal("ls")));
    expect(row.state).toBe("running");
    transcript.output("c1", "file\n");
    expect(row.output).toBe("file\n");
    transcript.apply(log.result(1, 1, "c1", terminal("ls", { output: "file\n", exitCode: 0 })));
    expect(row).toMatchObject({ state: "done", output: "" });
    expect(transcript.rows.filter((r) => r.kind === "tool")).toHaveLength(1);
  });

  test("may reuse the id of an earlier one", () => {
    const log = begun();
    for (const step of [1, 2]) {
      log.step(1, step);
      log.answer(1, step, [toolCall("call-0")]);
      log.call(1, step, "call-0", terminal(`ls ${step}`));
      log.result(1, step, "call-0", terminal(`ls ${step}`, { exitCode: 0 }));
    }
    const rows = folded(log.events).rows.filter((row) => row.kind === "tool");
    expect(rows.map((row) => row.call?.title)).toEqual(["ls 1", "ls 2"]);
    expect(new Set(rows.map((row) => row.key)).size).toBe(2);
  });

  test.each([
    [{ exitCode: 1 }, {}, "failed"],
    [{ signal: "SIGKILL" }, {}, "failed"],
    [{}, { isError: true }, "failed"],
    [{}, { isError: true, code: "TOOL_OUTCOME_UNKNOWN" }, "unknown"],
    [{}, { isError: true, code: "TOOL_NOT_STARTED" }, "stopped"],
    [{ exitCode: 0 }, {}, "done"],
  ])("with %j and %j is %s", (card, how, state) => {
    const log = begun();
    log.call(1, 1, "c1", terminal("x"));
    log.result(1, 1, "c1", terminal("x", card), how);
    expect(tool(folded(log.events)).state).toBe(state);
  });

  test("waits for a person and is refused by one", () => {
    const log = begun();
    log.call(1, 1, "c1", terminal("rm x"));
    log.add("approval/asked", { id: "p1", toolName: "bash", callId: "c1", shown: {}, hash: "h" });
    const transcript = folded(log.events);
    expect(tool(transcript).state).toBe("waiting");
    transcript.apply(log.add("approval/decided", { id: "p1", outcome: "rejected" }));
    transcript.apply(log.result(1, 1, "c1", terminal("rm x"), { isError: true }));
    expect(tool(transcript).state).toBe("refused");
  });
});

describe("a failed request", () => {
  const failure = { message: "HTTP 529", code: "SERVER" };
  const retry = (log: Log, n: number) =>
    log.add("llm/retry", { retryId: "y", turn: 1, step: 1, retry: n, delayMs: 4000, failure });

  test("takes what it had written along, and waits in one row", () => {
    const log = begun();
    log.chunk(1, 1, { type: "text-delta", index: 0, text: "ha" });
    retry(log, 1);
    log.add("llm/retry-started", { retryId: "y", turn: 1, step: 1, retry: 1 });
    retry(log, 2);
    const { rows } = folded(log.events);
    expect(kinds(rows)).toEqual(["user", "retry"]);
    expect(rows[1]).toMatchObject({ retry: 2, state: "waiting" });
  });

  test("is answered by the first word of the next try", () => {
    const log = begun();
    retry(log, 1);
    log.chunk(1, 1, { type: "text-delta", index: 0, text: "a" });
    expect(folded(log.events).rows[1]).toMatchObject({ kind: "retry", state: "answered" });
  });

  test("that ends the turn offers a way on, until the next turn", () => {
    const log = begun();
    retry(log, 1);
    log.end(1, { kind: "error", error: failure });
    const transcript = folded(log.events);
    const row = transcript.rows.find((r) => r.kind === "error");
    expect(row).toMatchObject({ last: true, failure });
    transcript.apply(log.add("turn/start", { turn: 2 }));
    expect(row).toMatchObject({ last: false });
  });
});

test("a turn ends with its figures", () => {
  const log = begun();
  log.chunk(1, 1, { type: "text-delta", index: 0, text: "a" });
  log.time += 900;
  log.chunk(1, 1, { type: "text-delta", index: 0, text: "b" });
  log.answer(1, 1, [text("ab")]);
  log.end(1);
  const foot = folded(log.events).rows.at(-1) as FootRow;
  expect(foot).toMatchObject({ kind: "foot", answer: "ab", inputTokens: 100, outputTokens: 20 });
  expect(foot.firstTokenMs).toBe(200);
  expect(foot.tokensPerSecond).toBe(20);
});

test("a replaced message is for the model only", () => {
  const log = begun();
  const event = log.prompt("summary of all");
  event.surfaceOp = { op: "replace", start: 0, end: 1 };
  expect(folded(log.events).rows).toHaveLength(1);
});

test("a change is announced once per flush, and only for the rows it touched", () => {
  const log = begun();
  log.chunk(1, 1, { type: "text-delta", index: 0, text: "a" });
  const transcript = folded(log.events);
  const [user, answer] = transcript.rows;
  const before = [user!.changed.value, answer!.changed.value, transcript.structure.value];
  for (let n = 0; n < 100; n++) {
    transcript.apply(log.chunk(1, 1, { type: "text-delta", index: 0, text: "x" }));
  }
  transcript.flush();
  const after = [user!.changed.value, answer!.changed.value, transcript.structure.value];
  expect(after).toEqual([before[0], before[1]! + 1, before[2]]);
});

test("a log that repeats a step makes rows of different names", () => {
  const log = begun();
  log.answer(1, 1, [text("a")]);
  log.answer(1, 1, [text("b")]);
  const keys = folded(log.events).rows.map((row) => row.key);
  expect(new Set(keys).size).toBe(keys.length);
});
