/** Long content shows 16 lines until a person asks for all of it. */

import type { ToolRow } from "../../core/rows";
import type { SessionStore } from "../../core/session";
import { t } from "../../i18n";
import { IconButton } from "../../parts/buttons";
import { useApp } from "../../parts/context";

export const FOLD_LINES = 16;

export function isAll(store: SessionStore, row: ToolRow): boolean {
  return store.folds.value.get(`${row.key}:all`) ?? false;
}

/** The class of a tool's card. */
export function shell(row: ToolRow): string {
  return `tool ${row.state === "failed" || row.state === "unknown" ? "bad" : ""}`;
}

interface OpenFileProps {
  store: SessionStore;
  path: string | undefined;
}

/** Opens a file with the system's program: cards name files relative to the session's folder. */
export function OpenFile({ store, path }: OpenFileProps) {
  const app = useApp();
  const cwd = app.host.sessions.value.get(store.id)?.cwd;
  const whole = path && /^(\/|[A-Za-z]:[\\/])/.test(path);
  const where = whole ? path : path && cwd && `${cwd}/${path}`;
  if (!where) return null;
  return (
    <IconButton
      icon="external-link"
      small
      label={t("row.openFile")}
      onClick={() => void app.attempt(() => app.api.call("host/openPath", { path: where }))}
    />
  );
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
