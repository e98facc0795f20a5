/** Scripted events: a conversation with every card, a long one, and a live answer. */

const user = (id, text, source = { kind: "user" }) => ({
  id,
  role: "user",
  content: [{ type: "text", text }],
  source,
});
const assistant = (id, content) => ({
  id,
  role: "assistant",
  content,
  source: { kind: "model", provider: "deepseek", model: "deepseek-chat" },
});
const result = (callId, text, isError = false) => ({
  id: `r-${callId}`,
  role: "user",
  content: [{ type: "tool-result", toolCallId: callId, content: [{ type: "text", text }], isError }],
  source: { kind: "tool", callId },
});

class Log {
  events = [];
  constructor(time) {
    this.time = time;
  }
  add(type, data, more = {}, ms = 300) {
    this.time += ms;
    this.events.push({ seq: this.events.length, type, time: this.time, data, ...more });
  }
  call(turn, step, callId, name, args, callCard, text, resultCard, { error, ms = 900 } = {}) {
    this.add("tool/call", { turn, step, callId, name, arguments: JSON.stringify(args) }, { card: callCard });
    const failed = error ? { error: { name: "Error", code: error } } : {};
    const data = { turn, step, message: result(callId, text, !!error), ...failed };
    this.add("tool/result", data, { card: resultCard, surfaceOp: { op: "append" } }, ms);
  }
}

const SOURCE = `def read_rows(stream, *, chunk_size=65536):
    """Yield one record per line of a CSV stream."""
    buffer = ""
    while chunk := stream.read(chunk_size):
        *rows, buffer = (buffer + chunk).split("\\n")
        yield from (parse(r) for r in rows)`;

export function conversation(now) {
  const log = new Log(now - 200_000);
  const usage = { inputTokens: 18_400, outputTokens: 1_900 };
  log.add("turn/start", { turn: 1 });
  log.add("step/start", { turn: 1, step: 1 });
  log.add("user/message", user("u1", "The CSV importer drops the last row when the file has no trailing newline. Find out why, fix it, and add a test. Keep the public API as it is."), { surfaceOp: { op: "append" } });
  log.add("user/message", user("s1", "cwd: /home/ada/src/tidewatch", { kind: "plugin", plugin: "surroundings", form: "snapshot", sections: { sandbox: "workspace-write", approvals: "ask" } }), { surfaceOp: { op: "append" } });
  log.add("assistant/message", { turn: 1, step: 1, message: assistant("a1", [{ type: "reasoning", text: "The reader yields on newline only, so the tail buffer is never flushed. I should look at the reader and its callers before I change anything." }]), usage }, { surfaceOp: { op: "append" } }, 6000);
  const line = SOURCE.split("\n").map((text, at) => ({ line: 43 + at, text }));
  const search = { kind: "search", title: "buffer|splitlines", files: [{ path: "tidewatch/importer.py", matches: [{ line: 47, text: '*rows, buffer = (buffer + chunk).split("\\n")' }, { line: 52, text: "return count  # buffer is left behind here" }] }, { path: "tidewatch/export.py", matches: [{ line: 19, text: "for row in text.splitlines():" }] }], paths: [], total: 3, truncated: false };
  log.call(1, 1, "c1", "grep", { pattern: "buffer|splitlines" }, { ...search, files: [], total: 0 }, "3 matches", search);
  log.call(1, 1, "c2", "read", { path: "tidewatch/importer.py" }, { kind: "read", title: "tidewatch/importer.py", path: "tidewatch/importer.py" }, SOURCE, { kind: "read", title: "tidewatch/importer.py", path: "tidewatch/importer.py", lines: line, totalLines: 212, lang: "python" });
  log.add("step/start", { turn: 1, step: 2 });
  log.add("assistant/message", { turn: 1, step: 2, message: assistant("a2", [{ type: "text", text: "`read_rows` only yields what stands **before** a newline. Whatever is left in `buffer` when the stream ends is dropped. Two things follow:\n\n1. Flush the tail after the loop, if it is not empty.\n2. A file ending in `\\r\\n` must not produce an extra empty row.\n\n```python\n" + SOURCE + "\n```\n\nSee [the docs](https://example.org/csv) or ![a chart](https://images.example/chart.png) and <b>no html</b>." }]), usage }, { surfaceOp: { op: "append" } });
  const diff = { kind: "diff", title: "tidewatch/importer.py", diffs: [{ path: "tidewatch/importer.py", oldText: '    while chunk := stream.read(chunk_size):\n        *rows, buffer = (buffer + chunk).split("\\n")\n        yield from (parse(r) for r in rows)\n', newText: "    while chunk := stream.read(chunk_size):\n        *rows, buffer = LINE_END.split(buffer + chunk)\n        yield from (parse(r) for r in rows)\n    if buffer.strip():\n        # The stream may end without a newline.\n        yield parse(buffer)\n", line: 46 }] };
  log.call(1, 2, "c3", "edit", { path: "tidewatch/importer.py" }, diff, "edited", diff);
  const test = (command, output, exitCode, seconds) => ({ kind: "terminal", title: command, cwd: "tidewatch", output, exitCode, seconds, sandbox: "Sandboxed, network off" });
  const long = Array.from({ length: 31 }, (_, n) => `tests/test_importer.py::case_${n} \x1b[32mPASSED\x1b[0m`).join("\n");
  log.call(1, 2, "c4", "shell", { command: "pytest -q tests/test_importer.py" }, test("pytest -q tests/test_importer.py"), "failed", test("pytest -q tests/test_importer.py", `${long}\n\x1b[31mFAILED\x1b[0m tests/test_importer.py::test_crlf_split_over_chunks\nE   AssertionError: assert 4 == 3`, 1, 2.1), { ms: 2100 });
  for (const n of [1, 2, 3, 4]) log.call(1, 2, `g${n}`, "shell", { command: `git log -${n}` }, test(`git log -${n}`), "ok", test(`git log -${n}`, "ok", 0, 0.2));
  log.add("llm/retry", { retryId: "y1", turn: 1, step: 2, provider: "deepseek", mode: "normal", policyKey: "x", retry: 1, maxRetries: 5, delayMs: 4000, failure: { message: "HTTP 529 from api.deepseek.com", code: "SERVER", status: 529 } });
  log.add("llm/retry-started", { retryId: "y1", turn: 1, step: 2, retry: 1 }, {}, 4000);
  log.add("step/start", { turn: 1, step: 3 });
  log.add("assistant/message", { turn: 1, step: 3, message: assistant("a3", []), usage }, { surfaceOp: { op: "append" } });
  log.call(1, 3, "c5", "shell", { command: "pytest -q" }, test("pytest -q"), "ok", test("pytest -q", ".................................................            [100%]\n\x1b[32m49 passed\x1b[0m in 7.92s\n", 0, 8.4));
  log.add("step/start", { turn: 1, step: 4 });
  log.add("assistant/message", { turn: 1, step: 4, message: assistant("a4", [{ type: "text", text: "Fixed. The reader now flushes its tail and treats `\\n`, `\\r\\n` and a `\\r\\n` cut in two by a chunk alike. All 49 tests pass, three of them new.\n\n| Section | Entry |\n|---|---|\n| Fixed | CSV import keeps the last row |\n| Fixed | A line end cut in two by a chunk |" }]), usage }, { surfaceOp: { op: "append" } });
  log.add("turn/end", { turn: 1, reason: { kind: "completed" } });
  log.add("turn/start", { turn: 2 }, {}, 60_000);
  log.add("step/start", { turn: 2, step: 1 });
  log.add("user/message", user("u2", "Good. Now run the suite on Python 3.14 too, then write the changelog entry."), { surfaceOp: { op: "append" } });
  log.add("assistant/message", { turn: 2, step: 1, message: assistant("a5", [{ type: "reasoning", text: "A fresh environment is needed; 3.14 is installed but has no pytest." }]), usage }, { surfaceOp: { op: "append" } });
  log.call(2, 1, "c6", "shell", { command: "python3.14 -m venv .venv314" }, test("python3.14 -m venv .venv314"), "", test("python3.14 -m venv .venv314", "", 0, 1.6));
  log.add("tool/call", { turn: 2, step: 1, callId: "c-pip", name: "shell", arguments: '{"command":".venv314/bin/pip install -e \\".[test]\\""}' }, { card: test('.venv314/bin/pip install -e ".[test]"') });
  log.add("approval/asked", { id: "ap1", toolName: "shell", callId: "c-pip" });
  return log.events;
}

export function bigSession(now, turns) {
  const log = new Log(now - 9e8);
  for (let turn = 1; turn <= turns; turn++) {
    log.add("turn/start", { turn });
    log.add("step/start", { turn, step: 1 });
    log.add("user/message", user(`u${turn}`, `Question ${turn}: what about part ${turn}?`), { surfaceOp: { op: "append" } });
    log.add("assistant/message", { turn, step: 1, message: assistant(`a${turn}`, [{ type: "text", text: `Answer ${turn} with **bold** words and \`code\`.` }]), usage: { inputTokens: 100, outputTokens: 20 } }, { surfaceOp: { op: "append" } });
    log.add("turn/end", { turn, reason: { kind: "completed" } });
  }
  return log.events;
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const WORDS = "The importer reads chunk by chunk and keeps what is left for the next one. ".split(" ");

/** A live turn. The words of the prompt choose what happens: calls, flood, fail, deny. */
export async function textAnswer(host, id, text, messageId, stop) {
  const turn = 1 + host.sessions.get(id).events.filter((e) => e.type === "turn/start").length;
  const append = (type, data, more) => host.append(id, type, data, more);
  append("turn/start", { turn });
  append("step/start", { turn, step: 1 });
  append("user/message", user(messageId, text), { surfaceOp: { op: "append" } });
  await wait(300);
  if (text.includes("calls")) await calls(host, id, turn, stop, Number(/\d+/.exec(text)?.[0] ?? 200));
  if (text.includes("fail")) {
    const failure = { message: "HTTP 401 from api.deepseek.com", code: "AUTH", status: 401 };
    append("llm/retry", { retryId: "y", turn, step: 1, provider: "deepseek", mode: "normal", policyKey: "x", retry: 1, maxRetries: 3, delayMs: 3000, failure });
    await wait(3000);
    append("llm/retry-started", { retryId: "y", turn, step: 1, retry: 1 });
    append("step/end", { turn, step: 1 });
    append("turn/end", { turn, reason: { kind: "error", error: failure } });
    return;
  }
  const flood = text.includes("flood");
  const count = flood ? 5000 : 160;
  const thought = "I should look at it first. Then I can say something about it.";
  append("assistant/chunk", { turn, step: 1, chunk: { type: "block-start", index: 0, blockType: "reasoning" } });
  for (const word of thought.split(" ")) {
    append("assistant/chunk", { turn, step: 1, chunk: { type: "reasoning-delta", index: 0, text: `${word} ` } });
    if (!flood) await wait(60);
  }
  append("assistant/chunk", { turn, step: 1, chunk: { type: "block-end", index: 0, block: { type: "reasoning", text: thought } } });
  append("assistant/chunk", { turn, step: 1, chunk: { type: "block-start", index: 1, blockType: "text" } });
  let whole = "";
  for (let n = 0; n < count && !stop.stopped; n++) {
    let word = `${WORDS[n % WORDS.length]} `;
    if (n % 40 === 39) word += "\n\n";
    if (n % 97 === 96) word += "\n\n- one\n- two `code`\n\n";
    whole += word;
    append("assistant/chunk", { turn, step: 1, chunk: { type: "text-delta", index: 1, text: word } });
    if (flood ? n % 25 === 0 : true) await wait(flood ? 1 : 30);
  }
  const content = [{ type: "reasoning", text: thought }, { type: "text", text: whole }];
  const cut = stop.stopped ? { interrupted: true } : {};
  append("assistant/message", { turn, step: 1, message: assistant(`a${turn}`, content), usage: { inputTokens: 900, outputTokens: count }, ...cut }, { surfaceOp: { op: "append" } });
  append("step/end", { turn, step: 1 });
  const reason = stop.stopped ? { kind: "aborted", reason: { kind: "user" } } : { kind: "completed" };
  append("turn/end", { turn, reason });
}

async function calls(host, id, turn, stop, count) {
  for (let n = 0; n < count && !stop.stopped; n++) {
    const callId = `k${turn}-${n}`;
    const title = `echo step ${n} && sleep 0.1`;
    const card = { kind: "terminal", title, cwd: "tidewatch" };
    const step = 2 + n;
    host.append(id, "step/start", { turn, step });
    host.append(id, "assistant/message", { turn, step, message: assistant(`x${turn}-${n}`, [{ type: "tool-call", id: callId, name: "shell", arguments: JSON.stringify({ command: title }) }]) }, { surfaceOp: { op: "append" } });
    host.append(id, "tool/call", { turn, step, callId, name: "shell", arguments: JSON.stringify({ command: title }) }, { card });
    for (let line = 0; line < 3; line++) {
      const data = { callId, stream: "stdout", text: `line ${line} of step ${n}\n` };
      host.send(`session:${id}`, [{ type: "session/output", data }]);
    }
    await wait(15);
    const done = { ...card, output: `line 0 of step ${n}\nline 1\nline 2\n`, exitCode: 0, seconds: 0.01 };
    host.append(id, "tool/result", { turn, step, message: result(callId, "ok") }, { card: done, surfaceOp: { op: "append" } });
  }
}
