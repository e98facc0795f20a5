import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApprovalCard } from "../src/docks/approval";
import { lastKey } from "../src/docks/typing";
import type { PendingApproval } from "../src/wire";
import { press, type Stage, stage } from "./stage";

const ASKED: PendingApproval = {
  approvalId: "p1",
  sessionId: "s",
  tool: "bash",
  shown: { title: "Run it?", command: "rm x\u202e", cwd: "/w", mode: "danger-full-access" },
  hash: "abc",
  askedAt: 0,
  risk: "medium",
};

let desk: Stage;
const card = () => desk.part("approval");
const allow = () => desk.part("approval-allow") as HTMLButtonElement;
const deny = () => desk.part("approval-deny") as HTMLButtonElement;
const answers = () => desk.calls.filter(([method]) => method === "approval/answer");
const answer = (outcome: string) => ["approval/answer", { approvalId: "p1", hash: "abc", outcome }];

/** Draw what is due, and run the clock on. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

async function show(more: Partial<PendingApproval> = {}): Promise<void> {
  desk.show(<ApprovalCard approval={{ ...ASKED, ...more }} waiting={0} />);
  await pass(50);
}

beforeEach(() => {
  vi.useFakeTimers();
  lastKey.at = lastKey.before = 0;
  desk = stage();
});
afterEach(() => {
  vi.useRealTimers();
});

test("nothing on it reacts for half a second", async () => {
  await show();
  expect(allow().disabled && deny().disabled).toBe(true);
  allow().click();
  press(card(), "a");
  await pass(300);
  expect(answers()).toEqual([]);
  await pass(300);
  expect(allow().disabled).toBe(false);
  allow().click();
  expect(answers()).toEqual([answer("allowed-once")]);
});

test("the focus goes to the card, not to a button", async () => {
  await show();
  expect(document.activeElement).toBe(card());
  await pass(1000);
  press(card(), "Enter");
  press(card(), " ");
  expect(answers()).toEqual([]);
});

test("the focus stays where the person is writing", async () => {
  const area = document.createElement("textarea");
  document.body.append(area);
  area.value = "half a sen";
  area.focus();
  await show();
  expect(document.activeElement).toBe(area);
});

test("letters act on the focused card only, after a moment without typing", async () => {
  await show();
  await pass(600);
  press(allow(), "d");
  press(card(), "x");
  press(card(), "d");
  expect(answers()).toEqual([]);
  await pass(600);
  press(card(), "d", { repeat: true });
  press(card(), "d", { ctrlKey: true });
  expect(answers()).toEqual([]);
  await pass(600);
  press(card(), "d");
  expect(answers()).toEqual([answer("rejected")]);
});

test("a high risk takes two steps and no letter", async () => {
  await show({ risk: "high" });
  await pass(600);
  expect(document.activeElement).toBe(deny());
  card().focus();
  press(card(), "a");
  expect(answers()).toEqual([]);
  allow().click();
  await pass(50);
  expect(card().textContent).toContain("cannot be undone");
  allow().click();
  expect(answers()).toEqual([]);
  await pass(600);
  allow().click();
  expect(answers()).toEqual([answer("allowed-once")]);
});

test("an answer goes out once", async () => {
  await show();
  await pass(600);
  allow().click();
  allow().click();
  deny().click();
  expect(answers()).toHaveLength(1);
});

test("everything that is asked can be seen", async () => {
  await show({ reason: "because", shown: { ...ASKED.shown, extra: "more\u200b" } });
  expect(desk.part("approval-command").textContent).toBe("rm x\\u202e");
  for (const words of ["/w", "Full access", "because", "extra", "more\\u200b"]) {
    expect(card().textContent).toContain(words);
  }
  expect(card().getAttribute("aria-label")).toContain("rm x\\u202e");
});

test("Escape leaves it waiting and goes back to the field", async () => {
  await show();
  const before = desk.screen.focusComposer.value;
  press(card(), "Escape");
  expect(desk.screen.focusComposer.value).toBe(before + 1);
  expect(answers()).toEqual([]);
});
