/** Stopping a turn: by its button at once, by Esc only when pressed twice. */

import type { Screen } from "../parts/context";

const ARMED_MS = 1500;

export function stopTurn(screen: Screen, sessionId: string): void {
  const { app } = screen;
  screen.stopArmed.value = 0;
  void app.attempt(() => app.api.call("session/cancel", { sessionId }));
}

/** The running session that is on the screen, if there is one. */
export function runningHere(screen: Screen): string | null {
  const place = screen.app.nav.place.peek();
  if (place.at !== "session") return null;
  const running = screen.app.session(place.sessionId).live.peek().status === "running";
  return running ? place.sessionId : null;
}

export function escapePressed(screen: Screen): void {
  const session = runningHere(screen);
  if (!session) return;
  const { stopArmed } = screen;
  if (stopArmed.peek() > Date.now()) {
    stopTurn(screen, session);
    return;
  }
  const until = Date.now() + ARMED_MS;
  stopArmed.value = until;
  setTimeout(() => {
    if (stopArmed.peek() === until) stopArmed.value = 0;
  }, ARMED_MS);
}
