/** When a key was last pressed, so that typing cannot become an answer. */

export const lastKey = { at: 0, before: 0 };

addEventListener(
  "keydown",
  (event) => {
    lastKey.before = lastKey.at;
    if (!event.repeat || lastKey.at) lastKey.at = Date.now();
  },
  { capture: true },
);

const RECENT_MS = 2000;

/** Whether the person is in the middle of writing there. */
export function typingIn(element: Element | null): boolean {
  if (!(element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement)) return false;
  return element.value !== "" || Date.now() - lastKey.at < RECENT_MS;
}
