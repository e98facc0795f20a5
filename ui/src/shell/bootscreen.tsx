/** Shown instead of the window while something that it cannot do without has failed. */

import { signal } from "@preact/signals-core";
import type { App } from "../core/app";
import { t } from "../i18n";
import { useApp, type Screen } from "../parts/context";
import { BootRows } from "../settings/bootrows";

const goneOn = signal(false);

export function mustShowBoot(app: App, _screen: Screen): boolean {
  if (goneOn.value) return false;
  return app.host.failedRows.value.some((row) => row.required);
}

export function BootScreen() {
  const { host } = useApp();
  const report = host.boot.value;
  if (!report) return null;
  const running = report.rows.filter((row) => row.phase === "active").length;
  const all = report.rows.filter((row) => !row.disabled).length;
  const failedFirst = report.rows.filter((row) => row.phase !== "active" && !row.disabled);
  return (
    <main class="boot">
      <div class="boot-in">
        <div class="boot-head">
          <img src="./dsh.svg" width="40" height="40" alt="" />
          <div class="grow">
            <h1>{t("boot.title")}</h1>
            <p class="second small">{t("boot.lead")}</p>
          </div>
          <span class="num second">
            {running} / {all}
          </span>
        </div>
        <progress class="boot-progress" max={all} value={running} />
        <BootRows rows={failedFirst} />
        <div class="boot-foot">
          <span class="grow" />
          <button
            type="button"
            class="btn lg"
            onClick={() => {
              goneOn.value = true;
            }}
          >
            {t("boot.continue")}
          </button>
        </div>
      </div>
    </main>
  );
}
