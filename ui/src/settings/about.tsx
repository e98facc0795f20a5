/** Facts of this computer: what the program is and what it really enforces. */

import { has, type Key, t } from "../i18n";
import { list } from "../i18n/format";
import { useApp } from "../parts/context";
import { Dot } from "../parts/dot";
import { Page } from "./place";

function gapWords(gap: string): string {
  const key = `gap.${gap}`;
  return has(key) ? t(key) : gap;
}

export function AboutPage() {
  const app = useApp();
  const told = app.host.description.value;
  const profile = app.host.boot.value?.profile;
  if (!told) return <Page title={t("settings.about")}>{null}</Page>;
  const { sandbox } = told;
  const full = sandbox?.level === "full";
  return (
    <Page title={t("settings.about")} lead={t("about.lead")}>
      <div class="card list facts-list">
        <Fact name={t("about.sandbox")}>
          <Dot kind={full ? "ok" : "waiting"} word="" />
          {sandbox && `${sandbox.mechanism}, `}
          {t(`about.level.${sandbox?.level ?? "none"}` as Key)}
        </Fact>
        {sandbox && sandbox.gaps.length > 0 && (
          <Fact name={t("about.gaps")}>
            <span class="warn">{list(sandbox.gaps.map(gapWords))}</span>
          </Fact>
        )}
        {sandbox && (
          <Fact name={t("about.network")}>
            {t(sandbox.network ? "about.networkOn" : "about.networkOff")}
          </Fact>
        )}
        <Fact name={t("about.keys")}>
          {t(told.credentialStore === "keyring" ? "models.keyIn.keyring" : "models.keyIn.file")}
        </Fact>
      </div>
      <div class="card list facts-list">
        <Fact name={t("about.version")}>
          {told.version}
          {profile && <span class="quiet">{profile}</span>}
        </Fact>
        <Fact name={t("about.home")}>
          <code class="trunc">{told.home}</code>
          <button
            type="button"
            class="btn sm push"
            onClick={() => app.attempt(() => app.api.call("host/openPath", { path: told.home }))}
          >
            {t("about.open")}
          </button>
        </Fact>
        <Fact name={t("about.platform")}>{told.platform}</Fact>
        <Fact name={t("about.process")}>
          <span class="num">{told.pid}</span>
        </Fact>
        <Fact name={t("about.window")}>{t(told.native ? "about.native" : "about.browser")}</Fact>
      </div>
    </Page>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="item fact">
      <span class="second">{name}</span>
      <span class="hstack grow">{children}</span>
    </div>
  );
}
