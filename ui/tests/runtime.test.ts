import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Api, ApiError, httpApi } from "../src/core/api";
import { grouped, markOf } from "../src/core/grouping";
import { HostStore } from "../src/core/host";
import { Navigation } from "../src/core/navigation";
import { Prefs } from "../src/core/prefs";
import { composing, matches } from "../src/keys/chord";
import { find } from "../src/palette/match";
import { parseTokens } from "../src/settings/tokens";
import type { SessionSummary, Workspace } from "../src/wire";

function summary(sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary {
  const rest = { title: sessionId, cwd: "/w", created: 0, updated: 0, blank: false, unseen: false };
  return { sessionId, workspaceId: "w", status: "idle", ...rest, ...more } as SessionSummary;
}
const workspace = (workspaceId: string, order: number): Workspace => ({
  workspaceId,
  path: `/${workspaceId}`,
  title: workspaceId,
  missing: false,
  order,
});

test("a call sends the page's token and gives the bare result", async () => {
  const fetcher = vi.fn(async () => new Response('{"path":null}'));
  const api = httpApi("secret", fetcher);
  expect(await api.call("host/pickDirectory", {})).toEqual({ path: null });
  const [url, init] = fetcher.mock.calls[0] as unknown as [string, RequestInit];
  expect(url).toBe("/api/host/pickDirectory");
  expect(init.headers).toMatchObject({ "x-dsh-page": "secret" });
});

test("a refusal keeps its code and remedy, whatever the body is", async () => {
  const refusing = (body: string) => httpApi("t", async () => new Response(body, { status: 409 }));
  const told = '{"error":{"code":"DIALOG_BUSY","message":"busy","remedy":"wait"}}';
  const error = await refusing(told).call("host/pickDirectory", {}).catch((e) => e);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "DIALOG_BUSY", message: "busy", remedy: "wait", status: 409 });
  const odd = await refusing("<html>").call("host/pickDirectory", {}).catch((e) => e);
  expect(odd.code).toBe("HTTP_409");
});

test("the host's facts change what is shown, and its position", () => {
  const host = new HostStore({ call: async () => ({}) } as unknown as Api);
  const data = { epoch: "e", seq: 4, sessions: [summary("a")], workspaces: [], approvals: [] };
  host.receive({ topic: "host", type: "host/snapshot", data });
  host.receive({ topic: "host", type: "host/session", seq: 5, data: summary("b") });
  host.receive({ topic: "host", type: "host/session-removed", seq: 6, data: { sessionId: "a" } });
  expect([...host.sessions.value.keys()]).toEqual(["b"]);
  expect(host.position).toEqual({ epoch: "e", seq: 6 });
  const asked = { approvalId: "p", sessionId: "b" };
  for (const seq of [7, 8]) host.receive({ topic: "host", type: "host/approval", seq, data: asked });
  expect(host.approvals.value).toHaveLength(1);
  const settled = { approvalId: "p", sessionId: "b", outcome: "rejected" };
  host.receive({ topic: "host", type: "host/approval-settled", seq: 9, data: settled });
  expect(host.approvals.value).toEqual([]);
});

test("sessions stand under their folders, newest first; blank ones under none", () => {
  const sessions = [
    summary("old", { updated: 1 }),
    summary("new", { updated: 2 }),
    summary("blank", { blank: true }),
    summary("lost", { workspaceId: "gone" }),
  ];
  const groups = grouped([workspace("v", 2), workspace("w", 1)], sessions);
  expect(groups.map((g) => [g.workspace?.workspaceId, g.sessions.map((s) => s.sessionId)])).toEqual([
    ["w", ["new", "old"]],
    ["v", []],
    [undefined, ["lost"]],
  ]);
});

test("what waits for a person outranks what was not seen", () => {
  expect(markOf(summary("a", { status: "waiting", unseen: true }))).toBe("waiting");
  expect(markOf(summary("a", { unseen: true }))).toBe("done");
});

test("going back and forth keeps the trail; going elsewhere cuts it", () => {
  const nav = new Navigation();
  nav.go({ at: "session", sessionId: "a" });
  nav.go({ at: "session", sessionId: "a" });
  nav.go({ at: "settings", page: "general" });
  nav.back();
  expect(nav.place.value).toEqual({ at: "session", sessionId: "a" });
  nav.forward();
  nav.leaveSettings();
  expect(nav.place.value).toEqual({ at: "session", sessionId: "a" });
  nav.back();
  nav.back();
  nav.go({ at: "inbox" });
  expect(nav.canForward.value).toBe(false);
});

test("a chord matches its own keys and no others", () => {
  const key = (init: KeyboardEventInit) => new KeyboardEvent("keydown", init);
  expect(matches("mod+k", key({ key: "k", ctrlKey: true }))).toBe(true);
  expect(matches("mod+k", key({ key: "k" }))).toBe(false);
  expect(matches("mod+k", key({ key: "k", ctrlKey: true, altKey: true }))).toBe(false);
  expect(matches("mod+/", key({ key: "/", ctrlKey: true, shiftKey: true }))).toBe(true);
  expect(matches("shift+f6", key({ key: "F6", shiftKey: true }))).toBe(true);
  expect(composing(key({ key: "Enter", isComposing: true }))).toBe(true);
});

test("all words of a query must occur, and word starts count more", () => {
  expect(find("rel no", "Release notes")?.spans).toEqual([
    [0, 3],
    [8, 10],
  ]);
  expect(find("relx", "Release notes")).toBeNull();
  expect(find("no", "notes")!.score).toBeGreaterThan(find("no", "piano")!.score);
});

test("sizes are read as people write them", () => {
  expect(["128K", "1m", "64000", " 1.5k "].map(parseTokens)).toEqual([128_000, 1e6, 64_000, 1500]);
  expect(["", "lots", "12q"].map(parseTokens)).toEqual([null, null, null]);
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("preferences are kept together, and again after a failure", async () => {
  const calls: unknown[] = [];
  let works = false;
  const call = async (_: string, request: unknown) => {
    calls.push(request);
    if (!works) throw new Error("offline");
    return {};
  };
  const prefs = new Prefs({ call } as unknown as Api);
  prefs.set("theme", "dark");
  prefs.set("locale", "zh");
  await vi.advanceTimersByTimeAsync(500);
  expect(calls).toEqual([{ patch: { theme: "dark", locale: "zh" } }]);
  works = true;
  prefs.set("rail", true);
  await vi.advanceTimersByTimeAsync(500);
  expect(calls[1]).toEqual({ patch: { theme: "dark", locale: "zh", rail: true } });
});

test("what was changed before the stored state arrived stays changed", async () => {
  const call = async (method: string) =>
    method === "ui/state" ? { state: { theme: "light", rail: true } } : {};
  const prefs = new Prefs({ call } as unknown as Api);
  prefs.set("theme", "dark");
  await prefs.load();
  expect(prefs.state.value).toEqual({ theme: "dark", rail: true });
});
