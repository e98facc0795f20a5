/** A page's runtime without a host, and parts drawn on it. */

import { type ComponentChildren, render } from "preact";
import { vi } from "vitest";
import type { Api } from "../src/core/api";
import { App } from "../src/core/app";
import { Screen, ScreenContext } from "../src/parts/context";

export interface Stage {
  app: App;
  screen: Screen;
  place: HTMLElement;
  /** Every call so far: method and request. */
  calls: [string, unknown][];
  show(view: ComponentChildren): void;
  part(id: string): HTMLElement;
}

export function stage(answers: Record<string, unknown> = {}): Stage {
  const calls: [string, unknown][] = [];
  const call = vi.fn(async (method: string, request: unknown) => {
    calls.push([method, request]);
    const answer = answers[method];
    if (answer instanceof Error) throw answer;
    return answer ?? {};
  });
  const facts = { token: "t", version: "1", locale: "en", theme: "light", native: false } as const;
  const app = new App(facts, { call } as unknown as Api);
  const screen = new Screen(app);
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  return {
    app,
    screen,
    place,
    calls,
    show: (view) =>
      render(<ScreenContext.Provider value={screen}>{view}</ScreenContext.Provider>, place),
    part: (id) => {
      const found = place.querySelector<HTMLElement>(`[data-testid="${id}"]`);
      if (!found) throw new Error(`no ${id} in ${place.innerHTML}`);
      return found;
    },
  };
}

/** Everything that was asked of the view library and of promises is done. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setTimeout(resolve));
}

export function press(target: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
}
