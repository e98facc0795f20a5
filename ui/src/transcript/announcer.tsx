/** Tells a screen reader of finished answers, not of every word of them. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import type { SessionProps } from "../slots/slots";

const MOST = 400;

export function Announcer({ store }: SessionProps) {
  const said = useSignal("");
  const running = store.live.value.status === "running";
  useEffect(() => {
    if (running) return;
    // Only what finishes while one is here: the first run of this effect is not news.
    return () => {
      said.value = "";
    };
  }, [running]);
  const rows = store.transcript.value.rows;
  store.transcript.value.structure.value;
  const last = rows.at(-1);
  const answer = last?.kind === "foot" ? last.answer : "";
  useEffect(() => {
    if (answer && !running) said.value = `${t("log.finished")} ${answer.slice(0, MOST)}`;
  }, [answer]);
  return (
    <div class="sr" role="status">
      {said.value}
    </div>
  );
}
