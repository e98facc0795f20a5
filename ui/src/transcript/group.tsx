/** Three or more calls of one kind in a row: one line that opens to its parts. */

import type { GroupKind } from "../core/items";
import { cardOf, type Row } from "../core/rows";
import type { SessionStore } from "../core/session";
import { type Key, t } from "../i18n";
import { duration, list } from "../i18n/format";
import { Icon } from "../icons/icon";
import { slots } from "../slots/slots";
import { Keyed } from "../slots/views";
import { ToolView } from "./tool";

interface GroupLineProps {
  id: string;
  group: GroupKind;
  rows: Row[];
  store: SessionStore;
}

const VERBS: Record<GroupKind, Key | null> = {
  terminal: "tool.run",
  read: "tool.read",
  search: "tool.searched",
  generic: "tool.used",
  context: null,
};

/** Opened, a long run still draws only its newest parts at first. */
const OPEN_AT_ONCE = 50;

export function GroupLine({ id, group, rows, store }: GroupLineProps) {
  const open = store.folds.value.get(id) ?? false;
  const all = store.folds.value.get(`${id}:all`) ?? false;
  const verb = VERBS[group];
  const ran = rows.reduce((sum, row) => sum + timeOf(row), 0);
  const names = [...new Set(rows.slice(0, 12).map(nameOf))].slice(0, 3);
  const shown = all ? rows : rows.slice(-OPEN_AT_ONCE);
  return (
    <>
      <button
        type="button"
        class="line"
        aria-expanded={open}
        onClick={() => store.setFold(id, !open)}
      >
        {verb && <span class="verb">{t(verb)}</span>}
        <span class="what trunc">
          {t(`group.${group}` as Key, { n: rows.length })}{" "}
          <span class="quiet">{list(names.filter(Boolean))}</span>
        </span>
        <span class="end">
          {ran > 0 && duration(ran)}
          <Icon name={open ? "chevron-down" : "chevron-right"} class="caret" />
        </span>
      </button>
      {open && (
        <div class="group-parts">
          {shown.length < rows.length && (
            <button
              type="button"
              class="line quiet small"
              onClick={() => store.setFold(`${id}:all`, true)}
            >
              {t("side.showMore", { n: rows.length - shown.length })}
            </button>
          )}
          {shown.map((row) =>
            row.kind === "tool" ? (
              <ToolView key={row.key} row={row} form="line" store={store} />
            ) : (
              <Keyed key={row.key} slot={slots.row} name={row.kind} with={{ row, store }} />
            ),
          )}
        </div>
      )}
    </>
  );
}

function timeOf(row: Row): number {
  return row.kind === "tool" && row.began && row.ended ? row.ended - row.began : 0;
}

function nameOf(row: Row): string {
  if (row.kind === "context") return row.plugin;
  if (row.kind !== "tool") return "";
  const title = cardOf(row)?.title ?? row.name;
  return cardOf(row)?.kind === "terminal" ? title.split(/\s+/).slice(0, 2).join(" ") : title;
}
