import { render } from "preact";
import { expect, test, vi } from "vitest";
import { ChainSlot, FALLBACK, KeyedSlot, ListSlot, SingleSlot } from "../src/slots/registry";
import { Chain, Keyed, List } from "../src/slots/views";

const say = (text: string) => () => <b>{text}</b>;

function shown(view: preact.ComponentChild): HTMLElement {
  const place = document.createElement("div");
  render(view, place);
  return place;
}

test("a list shows all in order, and forgets what leaves", () => {
  const slot = new ListSlot<object>("x");
  const leave = slot.register("b", say("b"), 2);
  slot.register("a", say("a"), 1);
  expect(shown(<List slot={slot} with={{}} />).textContent).toBe("ab");
  leave();
  expect(shown(<List slot={slot} with={{}} />).textContent).toBe("a");
});

test("a part that throws takes nothing else with it", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const slot = new ListSlot<object>("x");
  slot.register("good", say("good"), 1);
  slot.register(
    "bad",
    () => {
      throw new Error("boom");
    },
    2,
  );
  const place = shown(<List slot={slot} with={{}} />);
  await new Promise((resolve) => setTimeout(resolve));
  expect(place.textContent).toContain("good");
  expect(place.querySelector("[role=alert]")?.textContent).toContain("boom");
  quiet.mockRestore();
});

test("a single place has one winner, and no two of one priority", () => {
  const slot = new SingleSlot<object>("x");
  slot.register("own", say("own"));
  expect(() => slot.register("rival", say("rival"))).toThrow(/one priority/);
  const leave = slot.register("better", say("better"), 5);
  expect(slot.winner?.id).toBe("better");
  leave();
  expect(slot.winner?.id).toBe("own");
});

test("a key has one renderer, others fall back", () => {
  const slot = new KeyedSlot<object>("x");
  slot.register("a", say("A"));
  slot.register(FALLBACK, say("other"));
  expect(() => slot.register("a", say("again"))).toThrow(/taken/);
  expect(shown(<Keyed slot={slot} name="a" with={{}} />).textContent).toBe("A");
  expect(shown(<Keyed slot={slot} name="b" with={{}} />).textContent).toBe("other");
});

test("a chain takes the first that wants to", () => {
  const slot = new ChainSlot<{ locked: boolean }>("x");
  slot.register("open", say("open"), 100, () => true);
  slot.register("locked", say("locked"), 0, (props) => props.locked);
  expect(shown(<Chain slot={slot} with={{ locked: true }} />).textContent).toBe("locked");
  expect(shown(<Chain slot={slot} with={{ locked: false }} />).textContent).toBe("open");
});
