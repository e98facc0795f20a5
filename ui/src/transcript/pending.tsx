/** Messages on their way: sent, not yet confirmed by the log. */

import { t } from "../i18n";
import type { SessionProps } from "../slots/slots";

export function Pending({ store }: SessionProps) {
  const running = store.live.value.status === "running";
  return (
    <>
      {store.pending.value.map((prompt) => (
        <div class="turn-start" key={prompt.clientId}>
          <div class="user sending">
            <p class="user-text">{prompt.text}</p>
            <span class="sr">{t("row.sending")}</span>
          </div>
        </div>
      ))}
      {running && <Working store={store} />}
    </>
  );
}

/** A turn runs and nothing of it can be seen yet. */
function Working({ store }: SessionProps) {
  const transcript = store.transcript.value;
  transcript.structure.value;
  const last = transcript.rows.at(-1);
  const silent = !last || last.kind === "user" || last.kind === "context" || last.kind === "foot";
  if (!silent || store.pending.value.length) return null;
  return (
    <div class="step">
      <span class="g">
        <span class="dot running" />
      </span>
      <div class="c">
        <div class="line quiet">{t("row.thinking")}…</div>
      </div>
    </div>
  );
}
