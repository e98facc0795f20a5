/** Rows of the boot report: state, reason, ways on. */

import { t } from "../i18n";
import { duration, list } from "../i18n/format";
import { Icon } from "../icons/icon";
import { CopyButton } from "../parts/buttons";
import { useApp } from "../parts/context";
import { Dot, type DotKind } from "../parts/dot";
import type { BootRow } from "../wire";

export function stateOf(row: BootRow): DotKind {
  if (row.disabled) return "off";
  if (row.phase === "failed") return "failed";
  if (row.phase === "active") return "ok";
  if (row.phase === "starting" || row.phase === "stopping") return "running";
  return "pending";
}

/** The layers that the row comes from: of its plugin first, then of what was changed. */
function layersOf(row: BootRow): string {
  const { plugin, ...others } = row.origin;
  return [...new Set([plugin, ...Object.values(others)])].filter(Boolean).join(", ");
}

export function BootRows({ rows }: { rows: BootRow[] }) {
  return (
    <div class={`card list ${rows.every((row) => stateOf(row) === "failed") ? "bad" : ""}`}>
      {rows.map((row) =>
        row.phase === "failed" && !row.disabled ? (
          <FailedRow key={row.id} row={row} />
        ) : (
          <PlainRow key={row.id} row={row} />
        ),
      )}
    </div>
  );
}

function noteOf(row: BootRow): string {
  if (row.disabled) return t("plugins.off");
  const missing = Object.entries(row.missing);
  if (row.phase !== "active" && missing.length) {
    return t("plugins.waitsFor", { names: list(missing.map(([key, other]) => other || key)) });
  }
  if (row.phase === "starting") return t("plugins.starting");
  if (row.phase === "active") return t("plugins.seconds", { time: duration(row.seconds * 1000) });
  return t("plugins.waiting");
}

function PlainRow({ row }: { row: BootRow }) {
  return (
    <div class="item" data-row={row.id}>
      <Dot kind={stateOf(row)} />
      <div class="grow">
        <div class="hstack">
          <span class="medium">{row.id}</span>
          {row.required && <span class="tag outline">{t("plugins.required")}</span>}
        </div>
        <div class="small quiet trunc">
          {noteOf(row)} · <span class="mono">{row.plugin}</span>
        </div>
      </div>
      <span class="layer hide-narrow">{layersOf(row)}</span>
    </div>
  );
}

function reportOf(row: BootRow): string {
  const { error } = row;
  const lines = [`${row.id} (${row.plugin})`, `${error?.code ?? ""}: ${error?.message ?? ""}`];
  return [...lines, error?.remedy ?? "", layersOf(row)].join("\n").trim();
}

function FailedRow({ row }: { row: BootRow }) {
  const app = useApp();
  const run = (method: "boot/retry" | "boot/disable") =>
    void app.attempt(async () => {
      app.host.boot.value = await app.api.call(method, { id: row.id });
    });
  return (
    <div class="boot-failed" data-row={row.id} data-testid="boot-failed">
      <div class="item">
        <Dot kind="failed" />
        <div class="grow hstack">
          <span class="medium">{row.id}</span>
          <span class="tag danger">
            {t(row.required ? "plugins.failedRequired" : "plugins.failedAtStart")}
          </span>
          <span class="small quiet trunc">{layersOf(row)}</span>
        </div>
        <button type="button" class="btn" onClick={() => run("boot/retry")}>
          <Icon name="rotate-cw" small />
          {t("plugins.retry")}
        </button>
        <button type="button" class="btn" onClick={() => run("boot/disable")}>
          {t("plugins.disable")}
        </button>
        {row.folder && (
          <button
            type="button"
            class="btn"
            onClick={() => void app.attempt(() => app.api.call("boot/openFolder", { id: row.id }))}
          >
            <Icon name="folder-open" small />
            {t("plugins.folder")}
          </button>
        )}
      </div>
      <div class="boot-why">
        <div class="exact">
          <code>
            <span class="danger">{row.error?.code}</span> {row.error?.message}
          </code>
          <CopyButton text={() => reportOf(row)} label={t("plugins.copyReport")} />
        </div>
        {row.error?.remedy && <p class="small second">{row.error.remedy}</p>}
      </div>
    </div>
  );
}
