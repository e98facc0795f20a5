/** Long content shows 16 lines until a person asks for all of it. */

import type { ToolRow } from "../../core/rows";
import type { SessionStore } from "../../core/session";
import { t } from "../../i18n";

export const FOLD_LINES = 16;

export function isAll(store: SessionStore, row: ToolRow): boolean {
  return store.folds.value.get(`${row.key}:all`) ?? false;
}

interface ShowAllProps {
  row: ToolRow;
  store: SessionStore;
  lines: number;
}

export function ShowAll({ row, store, lines }: ShowAllProps) {
  if (lines <= FOLD_LINES) return null;
  const all = isAll(store, row);
  return (
    <>
      <span>{t("row.linesShown", { shown: all ? lines : FOLD_LINES, all: lines })}</span>
      <button
        type="button"
        class="link push"
        onClick={() => store.setFold(`${row.key}:all`, !all)}
      >
        {all ? t("row.showLess") : t("row.showAllLines", { n: lines })}
      </button>
    </>
  );
}
