import { beforeEach, expect, test, vi } from "vitest";
import { ComposerBox } from "../src/composer/box";
import { press, settled, type Stage, stage } from "./stage";

const send = vi.fn(async () => true);
let desk: Stage;
const field = () => desk.part("composer") as HTMLTextAreaElement;

function write(text: string): void {
  field().value = text;
  field().dispatchEvent(new InputEvent("input", { bubbles: true }));
}

function show(more: object = {}): void {
  desk.show(<ComposerBox draft="s1" placeholder="write" send={send} {...more} />);
}

beforeEach(() => {
  send.mockClear();
  send.mockImplementation(async () => true);
  desk = stage();
  show();
});

test("Enter sends once and empties the field", async () => {
  write("  hello ");
  press(field(), "Enter");
  press(field(), "Enter");
  await settled();
  expect(send.mock.calls).toEqual([["hello", false]]);
  expect(field().value).toBe("");
});

test("a held Enter does not repeat", () => {
  write("hello");
  press(field(), "Enter", { repeat: true });
  expect(send).not.toHaveBeenCalled();
});

test("Enter inside a composition belongs to the input method", () => {
  write("你好");
  press(field(), "Enter", { isComposing: true });
  press(field(), "Enter", { keyCode: 229 } as KeyboardEventInit);
  expect(send).not.toHaveBeenCalled();
  press(field(), "Enter");
  expect(send).toHaveBeenCalledTimes(1);
});

test("Shift and Enter make a new line", () => {
  write("a");
  expect(press(field(), "Enter", { shiftKey: true }).defaultPrevented).toBe(false);
  expect(send).not.toHaveBeenCalled();
});

test("Ctrl and Enter steer; with nothing written they steer what waits", () => {
  const steerQueue = vi.fn();
  show({ steerQueue });
  press(field(), "Enter", { ctrlKey: true });
  expect(steerQueue).toHaveBeenCalledTimes(1);
  write("now");
  press(field(), "Enter", { ctrlKey: true });
  expect(send.mock.calls).toEqual([["now", true]]);
});

test("what could not be sent comes back", async () => {
  send.mockImplementation(async () => {
    throw new Error("offline");
  });
  write("precious");
  press(field(), "Enter");
  await settled();
  expect(field().value).toBe("precious");
  expect(desk.app.host.toasts.value).toHaveLength(1);
});

test("what was written meanwhile is not overwritten by what comes back", async () => {
  send.mockImplementation(async () => false);
  write("first");
  press(field(), "Enter");
  write("second");
  await settled();
  expect(field().value).toBe("second");
});

test("drafts stay with their sessions", async () => {
  write("for one");
  show({ draft: "s2" });
  await settled();
  expect(field().value).toBe("");
  write("for two");
  show({ draft: "s1" });
  await settled();
  expect(field().value).toBe("for one");
  await desk.app.prefs.save();
  expect(desk.calls).toContainEqual([
    "ui/saveState",
    { patch: { "draft:s1": "for one", "draft:s2": "for two" } },
  ]);
});

test("while a turn runs there is a way to stop, and a way to queue once something is written", async () => {
  const stop = vi.fn();
  show({ busy: true, stop });
  await settled();
  expect(desk.place.querySelector("[data-testid=send]")).toBeNull();
  desk.part("stop").click();
  expect(stop).toHaveBeenCalledTimes(1);
  write("more");
  await settled();
  expect(desk.part("send").getAttribute("aria-label")).toBe("Queue");
});
