/** A call: one line that opens to its card, or the card at once. */

import type { Form } from "../core/items";
import { cardOf, type ToolRow } from "../core/rows";
import type { SessionStore } from "../core/session";
import { t } from "../i18n";
import { duration, stopwatch } from "../i18n/format";
import { Icon } from "../icons/icon";
import { everySecond } from "../parts/clock";
import { slots } from "../slots/slots";
import { Keyed } from "../slots/views";
import type { AnyCard } from "../wire";
import { verbOf } from "./verbs";

interface ToolViewProps {
  row: ToolRow;
  form: Form;
  store: SessionStore;
}

/** States whose time says nothing: it was not spent on the call. */
const UNTIMED = new Set(["refused", "stopped", "unknown"]);

const PLAIN: AnyCard = { kind: "generic", title: "" };

export function ToolView({ row, form, store }: ToolViewProps) {
  row.changed.value;
  const open = store.folds.value.get(row.key) ?? form === "card";
  const card = cardOf(row) ?? PLAIN;
  if (open) {
    return <Keyed slot={slots.card} name={card.kind} with={{ card, row, store }} />;
  }
  const title = card.title || row.name;
  const code = card.kind !== "generic";
  return (
    <button
      type="button"
      class="line"
      aria-expanded={false}
      onClick={() => store.setFold(row.key, true)}
    >
      <span class={`verb ${row.state === "waiting" ? "warn" : ""}`}>{verbOf(row)}</span>
      <span class="what trunc">
        {code ? <code>{title}</code> : title}
        {!card.title && row.state === "writing" && <span class="quiet"> {row.args.length}</span>}
      </span>
      <span class="end">
        <Took row={row} />
        <Icon name="chevron-right" class="caret" />
      </span>
    </button>
  );
}

/** How long it took, or runs. */
export function Took({ row }: { row: ToolRow }) {
  row.changed.value; // the row is changed in place, so its props never are
  if (row.state === "running" && row.began) {
    return <span class="num">{stopwatch(everySecond.value - row.began)}</span>;
  }
  const card = cardOf(row);
  const told = card?.kind === "terminal" && card.seconds != null ? card.seconds * 1000 : undefined;
  const ms = told ?? (row.began && row.ended ? row.ended - row.began : undefined);
  if (ms === undefined || UNTIMED.has(row.state)) return null;
  return <span class="num">{duration(ms)}</span>;
}

/** Shuts a card that was opened from its line. */
export function FoldButton({ row, store }: { row: ToolRow; store: SessionStore }) {
  return (
    <button
      type="button"
      class="icon-btn sm"
      aria-label={t("row.fold")}
      aria-expanded={true}
      title={t("row.fold")}
      onClick={() => store.setFold(row.key, false)}
    >
      <Icon name="chevron-down" small />
    </button>
  );
}
