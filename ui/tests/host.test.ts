import { expect, test } from "vitest";
import type { Api } from "../src/core/api";
import { HostStore } from "../src/core/host";
import type { SessionSummary } from "../src/wire";

const summary = (sessionId: string, title = sessionId) =>
  ({ sessionId, title, workspaceId: "w", blank: false }) as SessionSummary;

test("sessions beyond the host's first picture are asked for, page by page", async () => {
  const asked: unknown[] = [];
  const call = async (_: string, request: { cursor?: string }) => {
    asked.push(request);
    return request.cursor
      ? { sessions: [summary("s900")], cursor: null }
      : { sessions: [summary("s0", "stale")], cursor: "c1" };
  };
  const host = new HostStore({ call } as unknown as Api);
  const sessions = Array.from({ length: 500 }, (_, n) => summary(`s${n}`));
  const data = { epoch: "e", seq: 0, sessions, workspaces: [], approvals: [] };
  host.receive({ topic: "host", type: "host/snapshot", data });
  await Promise.resolve();
  await Promise.resolve();
  expect(host.older.value).toBe("c1");
  await host.loadSessions();
  expect(asked).toEqual([{ limit: 500 }, { cursor: "c1", limit: 500 }]);
  expect(host.sessions.value.size).toBe(501);
  expect(host.older.value).toBeNull();
  // What is known already is newer than a page that was asked for before.
  expect(host.sessions.value.get("s0")?.title).toBe("s0");
});

test("one notice can be dismissed, and old ones make room", () => {
  const host = new HostStore({} as Api);
  for (let n = 0; n < 6; n++) host.toast({ level: "info", message: `${n}` });
  expect(host.toasts.value.map((toast) => toast.message)).toEqual(["2", "3", "4", "5"]);
  host.dismiss(host.toasts.value[0]!.id);
  expect(host.toasts.value.map((toast) => toast.message)).toEqual(["3", "4", "5"]);
});
