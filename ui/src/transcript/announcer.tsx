/** Tells a screen reader of finished answers, not of every word of them. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import type { SessionProps } from "../slots/slots";

const MOST = 400;

export function Announcer({ store }: SessionProps) {
  const said = useSignal("");
  const running = store.live.value.status === "running";
  const rows = store.transcript.value.rows;
  store.transcript.value.structure.value;
  const last = rows.at(-1);
  const answer = last?.kind === "foot" ? last.answer : "";
  const known = useRef(answer); // what stands there when one comes is not news
  useEffect(() => {
    if (running) {
      said.value = "";
      known.current = "";
      return;
    }
    if (answer && answer !== known.current) {
      said.value = `${t("log.finished")} ${answer.slice(0, MOST)}`;
    }
    known.current = answer;
  }, [running, answer]);
  return (
    <div class="sr" role="status">
      {said.value}
    </div>
  );
}
