/** How full a model's window is. */

import type { App } from "./app";
import type { SessionStore } from "./session";

/** Tokens of the last request with its answer, against the window of the session's model. */
export function contextUse(app: App, store: SessionStore): { used: number; all: number } | null {
  const transcript = store.transcript.value;
  transcript.structure.value;
  const used = transcript.contextTokens;
  const { models, sessions } = app.host;
  const route = sessions.value.get(store.id)?.model ?? models.value?.current;
  const provider = models.value?.providers.find((p) => p.id === route?.provider);
  const all =
    transcript.contextWindow ?? provider?.models.find((m) => m.id === route?.model)?.contextWindow;
  return used && all ? { used, all } : null;
}
