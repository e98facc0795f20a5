/** Language, appearance, and what new sessions may do. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { stagedMode, stageMode } from "../start/staged";
import { type Key, localeChoice, t } from "../i18n";
import { useApp } from "../parts/context";
import { theme } from "../theme/theme";
import type { Mode } from "../wire";
import { Choice } from "./choice";
import { Page } from "./place";

interface Problem {
  namespace: string;
  message: string;
  line?: number | null;
}

export function GeneralPage() {
  const { prefs } = useApp();
  return (
    <Page title={t("settings.general")} lead={t("general.lead")}>
      <div class="card list">
        <Setting label={t("general.language")} hint={t("general.languageHint")}>
          <Choice
            name="locale"
            label={t("general.language")}
            value={localeChoice.value}
            options={[
              ["system", t("general.system")],
              ["en", "English"],
              ["zh", "中文"],
            ]}
            choose={(value) => prefs.set("locale", value)}
          />
        </Setting>
        <Setting label={t("general.theme")}>
          <Choice
            name="theme"
            label={t("general.theme")}
            value={theme.value}
            options={[
              ["system", t("general.system")],
              ["light", t("general.light")],
              ["dark", t("general.dark")],
            ]}
            choose={(value) => prefs.set("theme", value)}
          />
        </Setting>
        <DefaultMode />
      </div>
      <Problems />
    </Page>
  );
}

// Full access is chosen for one session, with a question, and never for all.
const DEFAULTS: Mode[] = ["read-only", "workspace-write"];

function DefaultMode() {
  const app = useApp();
  return (
    <Setting label={t("general.mode")} hint={t("general.modeHint")}>
      <Choice
        name="mode"
        label={t("general.mode")}
        value={stagedMode(app)}
        options={DEFAULTS.map((mode) => [mode, t(`mode.${mode}` as Key)])}
        choose={(value) => stageMode(app, value as Mode)}
      />
    </Setting>
  );
}

interface SettingProps {
  label: string;
  hint?: string;
  children: preact.ComponentChildren;
}

function Setting({ label, hint, children }: SettingProps) {
  return (
    <div class="item">
      <div class="grow">
        <div class="medium">{label}</div>
        {hint && <div class="small quiet">{hint}</div>}
      </div>
      {children}
    </div>
  );
}

/** Settings that the host could not read: shown with the place, never silently dropped. */
function Problems() {
  const { api, host } = useApp();
  const problems = useSignal<Problem[]>([]);
  useEffect(() => {
    api
      .call("settings/describe", {})
      .then((told) => {
        problems.value = told.problems;
      })
      .catch(() => undefined);
  }, [host.settingsChanged.value]);
  if (!problems.value.length) return null;
  return (
    <section>
      <div class="section-head">
        <h2>{t("general.problems")}</h2>
      </div>
      <div class="card list attn">
        {problems.value.map((problem) => (
          <div class="item" key={`${problem.namespace}${problem.message}`}>
            <div class="grow">
              <code>{problem.namespace}</code> {problem.message}
            </div>
            {problem.line != null && (
              <span class="small quiet">{t("general.line", { n: problem.line })}</span>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
