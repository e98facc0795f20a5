/** The scripted host: sessions, answers, and the events that they are made of. */

import { bigSession, conversation, textAnswer } from "./story.mjs";

const now = Date.now();
const MIN = 60_000;

const refuse = (status, code, message) => Object.assign(new Error(message), { status, code });

export class Host {
  state = {};
  sockets = new Set();
  sessions = new Map();
  approvals = [];
  queue = new Map();
  running = new Map();
  workspaces = [];

  constructor(flags) {
    this.flags = flags;
    this.hasModel = !flags.has("--no-model");
    if (flags.has("--first-run")) return;
    for (const [order, name] of ["tidewatch", "harbor-site", "field-notes"].entries()) {
      const path = `/home/ada/src/${name}`;
      this.workspaces.push({ workspaceId: name, path, title: name, missing: false, order });
    }
    this.add("csv", "CSV importer drops the last row", "tidewatch", 0, "waiting");
    this.add("dwd", "Compare DWD and NOAA feeds", "tidewatch", 4, "running");
    this.add("rel", "Release notes for 0.8", "tidewatch", 22, "idle", true);
    for (let n = 0; n < 9; n++) this.add(`old${n}`, `Explain the datum conversion ${n}`, "tidewatch", 3000 + n);
    this.add("avif", "Move the gallery to AVIF", "harbor-site", 9, "idle");
    this.add("vite", "Upgrade Vite 7 to 8", "harbor-site", 180, "failed");
    this.add("big", "Two hundred calls", "field-notes", 500);
    this.sessions.get("csv").events = conversation(now);
    this.sessions.get("big").events = bigSession(now, 3000);
    this.approvals.push({
      approvalId: "ap1",
      sessionId: "csv",
      callId: "c-pip",
      tool: "shell",
      shown: {
        title: "Run this command with network access?",
        command: '.venv314/bin/pip install -e ".[test]"',
        cwd: "/home/ada/src/tidewatch",
        mode: "danger-full-access",
        justification: "The sandbox has the network off. Packages run their own build code.",
      },
      hash: "abc",
      askedAt: now - 41_000,
      risk: flags.has("--high") ? "high" : "medium",
    });
    this.queue.set("csv", {
      nextTurn: [{ id: "q1", text: "Also bump the version to 0.8.1" }],
      nextStep: [],
    });
  }

  add(sessionId, title, workspaceId, minutes, status = "idle", unseen = false) {
    const summary = {
      sessionId,
      title,
      workspaceId,
      cwd: `/home/ada/src/${workspaceId}`,
      updated: now - minutes * MIN,
      created: now - 9000 * MIN,
      status,
      unseen,
      blank: title === null,
      preset: "standard",
      mode: "workspace-write",
      model: this.current,
      readOnly: null,
    };
    this.sessions.set(sessionId, { summary, events: [] });
    return summary;
  }

  get current() {
    return this.hasModel
      ? { provider: "deepseek", model: "deepseek-chat", effort: "high" }
      : { provider: "offline", model: "guide" };
  }

  // -- socket ------------------------------------------------------------------------

  connect(socket) {
    const peer = { socket, subscribed: new Set() };
    this.sockets.add(peer);
    socket.on("close", () => this.sockets.delete(peer));
    socket.on("message", (data) => {
      const frame = JSON.parse(data);
      if (frame.op === "ping") socket.send(JSON.stringify([{ topic: "host", type: "pong", data: {} }]));
      if (frame.op === "hello") {
        socket.send(JSON.stringify([{ topic: "host", type: "host/snapshot", data: this.snapshot() }]));
        for (const [id, seq] of Object.entries(frame.sessions)) this.subscribe(peer, id, seq);
      }
      if (frame.op === "subscribe") this.subscribe(peer, frame.session, frame.lastSeq);
      if (frame.op === "unsubscribe") peer.subscribed.delete(frame.session);
    });
  }

  snapshot() {
    const sessions = [...this.sessions.values()].map((s) => s.summary);
    return { epoch: "e1", seq: 0, sessions, workspaces: this.workspaces, approvals: this.approvals };
  }

  subscribe(peer, id, lastSeq) {
    const session = this.sessions.get(id);
    if (!session) return;
    peer.subscribed.add(id);
    const { events, summary } = session;
    const topic = `session:${id}`;
    if (lastSeq >= 0) {
      const missed = events.filter((event) => event.seq > lastSeq);
      const frames = missed.map((data) => ({ topic, seq: data.seq, type: "session/event", data }));
      if (frames.length) peer.socket.send(JSON.stringify(frames));
      return;
    }
    const shown = events.slice(-400);
    const data = {
      session: summary,
      lastSeq: events.at(-1)?.seq ?? -1,
      events: shown,
      firstSeq: shown[0]?.seq ?? 0,
      hasMore: shown.length < events.length,
      queue: this.queue.get(id) ?? { nextTurn: [], nextStep: [] },
      live: {
        status: ["running", "waiting"].includes(summary.status) ? "running" : "idle",
        turn: 2,
        step: 3,
      },
      projections: { contextPressure: { pressureTokens: 48_200, contextWindow: 128_000 } },
      readOnly: summary.readOnly,
    };
    peer.socket.send(JSON.stringify([{ topic, type: "session/snapshot", data }]));
  }

  send(topic, frames) {
    const text = JSON.stringify(frames.map((frame) => ({ topic, ...frame })));
    const id = topic.startsWith("session:") ? topic.slice(8) : null;
    for (const { socket, subscribed } of this.sockets) {
      if (!id || subscribed.has(id)) socket.send(text);
    }
  }

  append(id, type, data, more = {}) {
    const { events } = this.sessions.get(id);
    const event = { seq: (events.at(-1)?.seq ?? -1) + 1, type, time: Date.now(), data, ...more };
    events.push(event);
    this.send(`session:${id}`, [{ seq: event.seq, type: "session/event", data: event }]);
  }

  touch(id, change) {
    const session = this.sessions.get(id);
    Object.assign(session.summary, change, { updated: Date.now() });
    this.send("host", [{ type: "host/session", data: session.summary }]);
  }

  // -- methods -----------------------------------------------------------------------

  async call(method, request) {
    const own = this[method.replace("/", "_")];
    if (!own) throw refuse(404, "UNKNOWN_METHOD", method);
    return own.call(this, request);
  }

  host_describe() {
    return {
      version: "0.1.0",
      home: "/home/ada/.dsh",
      pid: 4242,
      platform: "Linux 6.1, x86_64",
      native: this.flags.has("--native"),
      sandbox: { mechanism: "landlock", level: "full", gaps: [], network: false },
      defaultMode: "workspace-write",
      credentialStore: "keyring",
      desktopEntry: this.flags.has("--first-run") ? "absent" : "installed",
    };
  }
  host_listDirectory({ path = "/home/ada" }) {
    const names = ["src", "Documents", "Pictures", ".config"];
    const entries = names.map((name) => ({ name, path: `${path}/${name}`, hidden: name[0] === "." }));
    const parent = path === "/" ? null : path.slice(0, path.lastIndexOf("/")) || "/";
    return { path, parent, home: "/home/ada", entries, truncated: false };
  }
  host_openUrl({ url }) {
    console.log("open", url);
    return { opened: true };
  }
  host_openPath({ path }) {
    console.log("open", path);
    return { opened: true };
  }
  host_installDesktopEntry() {
    return { installed: true, path: "/home/ada/.local/share/applications/dsh.desktop" };
  }
  workspace_create({ path }) {
    const title = path.slice(path.lastIndexOf("/") + 1);
    const known = this.workspaces.find((w) => w.path === path);
    if (known) return known;
    const order = this.workspaces.length;
    const fresh = { workspaceId: title, path, title, missing: false, order };
    this.workspaces.push(fresh);
    this.send("host", [{ type: "host/workspaces", data: { workspaces: this.workspaces } }]);
    return fresh;
  }
  workspace_rename({ workspaceId, title }) {
    const workspace = this.workspaces.find((w) => w.workspaceId === workspaceId);
    workspace.title = title;
    return workspace;
  }
  workspace_remove({ workspaceId }) {
    this.workspaces = this.workspaces.filter((w) => w.workspaceId !== workspaceId);
  }
  session_create({ workspaceId }) {
    const id = `new${this.sessions.size}`;
    return this.add(id, null, workspaceId, 0);
  }
  session_history({ sessionId, beforeSeq, limit = 200 }) {
    const before = this.sessions.get(sessionId).events.filter((e) => e.seq < beforeSeq);
    const events = before.slice(-limit);
    return { events, firstSeq: events[0]?.seq ?? 0, hasMore: events.length < before.length };
  }
  session_prompt({ sessionId, text, mode }) {
    const messageId = `m${Math.random().toString(36).slice(2)}`;
    if (this.running.has(sessionId)) {
      const queue = this.queue.get(sessionId) ?? { nextTurn: [], nextStep: [] };
      queue[mode === "steer" ? "nextStep" : "nextTurn"].push({ id: messageId, text });
      this.queue.set(sessionId, queue);
      this.send(`session:${sessionId}`, [{ type: "session/queue", data: queue }]);
    } else {
      this.answer(sessionId, text, messageId);
    }
    return { messageId };
  }
  answer(id, text, messageId) {
    const stop = { stopped: false };
    this.running.set(id, stop);
    this.touch(id, { status: "running", blank: false, title: text.slice(0, 60) });
    this.send(`session:${id}`, [{ type: "session/status", data: { status: "running", turn: 1, step: 1 } }]);
    void textAnswer(this, id, text, messageId, stop).finally(() => {
      this.running.delete(id);
      this.touch(id, { status: "idle" });
      this.send(`session:${id}`, [{ type: "session/status", data: { status: "idle" } }]);
      const queue = this.queue.get(id);
      const next = stop.stopped ? undefined : queue?.nextTurn.shift();
      if (!next) return;
      this.send(`session:${id}`, [{ type: "session/queue", data: queue }]);
      this.answer(id, next.text, next.id);
    });
  }
  session_cancel({ sessionId }) {
    const run = this.running.get(sessionId);
    if (run) run.stopped = true;
  }
  session_updateQueue({ sessionId, itemId, action, text }) {
    const queue = this.queue.get(sessionId);
    const at = queue.nextTurn.findIndex((item) => item.id === itemId);
    if (action === "edit") queue.nextTurn[at].text = text;
    else {
      const [item] = queue.nextTurn.splice(at, 1);
      if (action === "steer") queue.nextStep.push(item);
    }
    return queue;
  }
  session_rename({ sessionId, title }) {
    this.touch(sessionId, { title });
    return this.sessions.get(sessionId).summary;
  }
  session_setMode({ sessionId, mode }) {
    this.touch(sessionId, { mode });
    return this.sessions.get(sessionId).summary;
  }
  session_selectModel({ sessionId, ...model }) {
    this.touch(sessionId, { model });
    return this.sessions.get(sessionId).summary;
  }
  session_markSeen({ sessionId }) {
    this.touch(sessionId, { unseen: false });
  }
  session_retry({ sessionId }) {
    this.answer(sessionId, "again", `m${Math.random()}`);
  }
  session_resumeQueue() {}
  approval_answer({ approvalId, outcome }) {
    const found = this.approvals.find((a) => a.approvalId === approvalId);
    if (!found) throw refuse(404, "SETTLED", "This question was settled already.");
    this.approvals = this.approvals.filter((a) => a !== found);
    const data = { approvalId, sessionId: found.sessionId, outcome };
    this.send("host", [{ type: "host/approval-settled", data }]);
    return { outcome };
  }
  model_list() {
    const model = (id, contextWindow, efforts = []) => ({ id, name: id, contextWindow, efforts });
    const key = (ref, configured, source) => ({ ref, configured, source, writable: source !== "environment" });
    const offline = {
      id: "offline",
      label: "Offline guide",
      kind: "offline",
      dialect: "offline",
      models: [model("guide")],
      origin: "builtin",
      editable: false,
    };
    const deepseek = {
      id: "deepseek",
      label: "DeepSeek",
      kind: "http",
      dialect: "deepseek",
      baseUrl: "https://api.deepseek.com",
      models: [model("deepseek-chat", 128_000, ["low", "high"]), model("deepseek-reasoner", 128_000)],
      credential: key("deepseek", true, "keyring"),
      origin: "builtin",
      editable: false,
    };
    const anthropic = {
      ...deepseek,
      id: "anthropic",
      label: "Anthropic",
      baseUrl: "https://api.anthropic.com",
      models: [model("claude-sonnet")],
      credential: key("ANTHROPIC_API_KEY", true, "environment"),
      error: { code: "AUTH", message: "Key refused" },
      origin: "environment",
    };
    const ollama = {
      ...deepseek,
      id: "ollama",
      label: "Ollama",
      baseUrl: "http://127.0.0.1:11434",
      models: [model("qwen3:8b")],
      credential: null,
      origin: "settings",
      editable: true,
    };
    const providers = this.hasModel ? [deepseek, ollama, anthropic, offline] : [offline];
    const dialect = (name, label, baseUrl = null) => ({ name, label, baseUrl, credentialRef: null });
    const dialects = [
      dialect("deepseek", "DeepSeek", "https://api.deepseek.com"),
      dialect("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
      dialect("generic", "OpenAI compatible"),
    ];
    return { providers, current: this.current, dialects };
  }
  model_local() {
    return {
      servers: [
        { label: "Ollama", baseUrl: "http://127.0.0.1:11434", dialect: "ollama", models: ["qwen3:8b", "llama3", "gemma"] },
        { label: "LM Studio", baseUrl: "http://127.0.0.1:1234", dialect: "lm-studio", models: [] },
      ],
    };
  }
  model_preview({ baseUrl }) {
    return { address: `${baseUrl}/chat/completions`, loopback: false };
  }
  model_discover() {
    return { models: [{ id: "harbour-large", name: "harbour-large", efforts: [] }, { id: "harbour-small", name: "s", efforts: [] }] };
  }
  model_test() {
    return {
      steps: [
        { name: "address", ok: true, ms: 48 },
        { name: "key", ok: true, ms: 91 },
        { name: "answer", ok: false, message: "no answer within 10 s", ms: 10_000 },
      ],
    };
  }
  model_saveProvider(request) {
    this.hasModel = true;
    return { ...request, models: [], origin: "settings", editable: true };
  }
  model_removeProvider() {}
  model_setDefault() {}
  settings_describe() {
    return { namespaces: [], problems: [] };
  }
  credentials_set() {
    return { configured: true };
  }
  credentials_unset() {
    return { configured: false };
  }
  ui_state() {
    return { state: this.state };
  }
  ui_saveState({ patch }) {
    Object.assign(this.state, patch);
  }
  boot_report() {
    const row = (id, more = {}) => ({
      id,
      plugin: `dsh_plugins.${id}:plugin`,
      phase: "active",
      required: false,
      origin: { plugin: "bundle core" },
      missing: {},
      seconds: 0.12,
      disabled: false,
      ...more,
    });
    const failed = this.flags.has("--failed") || this.flags.has("--required-failed");
    const rows = [row("shell.local"), row("sandbox.linux"), row("web.search", { disabled: true, phase: "gone" }), row("mcp.client")];
    if (failed) {
      rows.push(
        row("weather-tools", {
          phase: "failed",
          required: this.flags.has("--required-failed"),
          origin: { plugin: "your plugins", config: "profiles/desktop/patch.yaml:3" },
          folder: "/home/ada/.dsh/plugins/weather-tools",
          error: {
            code: "PLUGIN_CONFIG_INVALID",
            message: "weather-tools.tides\n  config.station: Field required (plugin.toml:14)",
            remedy: "Set station in your profile's patch, or disable the row.",
          },
        }),
        row("tide-alerts", { phase: "waiting", missing: { WeatherStation: "weather-tools" } }),
      );
    }
    return { safeMode: this.flags.has("--safe"), profile: "desktop", home: "/home/ada/.dsh", rows, warnings: [], problems: [] };
  }
  boot_retry() {
    return this.boot_report();
  }
  boot_disable() {
    return this.boot_report();
  }
}
