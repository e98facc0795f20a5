/** Everything that makes up the running system, what failed first. */

import { useSignal } from "@preact/signals";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";
import type { BootRow } from "../wire";
import { BootRows, stateOf } from "./bootrows";
import { Choice } from "./choice";
import { Page } from "./place";

function needsAttention(row: BootRow): boolean {
  const state = stateOf(row);
  return state === "failed" || state === "pending";
}

export function PluginsPage() {
  const { host } = useApp();
  const only = useSignal("all");
  const filter = useSignal("");
  const report = host.boot.value;
  if (!report) return <Page title={t("settings.plugins")}>{null}</Page>;
  const { rows } = report;
  const of = (...states: string[]) => rows.filter((row) => states.includes(stateOf(row))).length;
  const failed = rows.filter((row) => stateOf(row) === "failed");
  const attention = rows.filter(needsAttention);
  const words = filter.value.trim().toLowerCase();
  const shown = (only.value === "all" ? rows : attention).filter(
    (row) => stateOf(row) !== "failed" && `${row.id} ${row.plugin}`.toLowerCase().includes(words),
  );
  const lead = t("plugins.lead", {
    running: of("ok"),
    failed: failed.length,
    waiting: of("pending", "running"),
    off: of("off"),
  });
  return (
    <Page title={t("settings.plugins")} lead={lead}>
      {report.warnings.length > 0 && (
        <div class="card list attn">
          {report.warnings.map((warning) => (
            <div class="item" key={warning.layer + warning.message}>
              <Icon name="triangle-alert" class="warn" />
              <span class="grow">{warning.message}</span>
              <span class="layer">{warning.layer}</span>
            </div>
          ))}
        </div>
      )}
      {failed.length > 0 && <BootRows rows={failed} />}
      <div class="hstack">
        <Choice
          name="plugins"
          label={t("settings.plugins")}
          value={only.value}
          options={[
            ["all", t("plugins.all", { n: rows.length })],
            ["attention", t("plugins.attention", { n: attention.length })],
          ]}
          choose={(value) => {
            only.value = value;
          }}
        />
        <span class="grow" />
        <span class="input plugin-filter">
          <Icon name="search" small />
          <input
            aria-label={t("plugins.filter")}
            placeholder={t("plugins.filter")}
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        </span>
      </div>
      {shown.length > 0 && <BootRows rows={shown} />}
    </Page>
  );
}
