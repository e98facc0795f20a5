/** The connection test: every step by name, so that one sees where it stops. */

import { type Signal, useSignal } from "@preact/signals";
import { type Key, t } from "../i18n";
import { duration } from "../i18n/format";
import { Icon } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { useApp } from "../parts/context";
import { Dot } from "../parts/dot";
import type { TestStep } from "../wire";

export interface ConnectionTest {
  /** Null before the first run, "running" during one. */
  state: Signal<TestStep[] | "running" | null>;
  run: () => Promise<void>;
}

export function useTest(providerId: string): ConnectionTest {
  const app = useApp();
  const state = useSignal<TestStep[] | "running" | null>(null);
  return {
    state,
    async run() {
      state.value = "running";
      const went = await app.attempt(async () => {
        state.value = (await app.api.call("model/test", { providerId })).steps;
      });
      if (!went) state.value = null;
    },
  };
}

export function TestResult({ test }: { test: ConnectionTest }) {
  const steps = test.state.value;
  if (!steps) return null;
  if (steps === "running") {
    return (
      <div class="test card" role="status">
        <div class="check">
          <Dot kind="running" word="" />
          {t("models.testing")}
        </div>
      </div>
    );
  }
  const good = steps.every((step) => step.ok);
  return (
    <div class="test card" role="status" data-testid="test-result" data-ok={good}>
      <div class="hstack">
        <span class="medium grow">{t(good ? "models.testOk" : "models.testBad")}</span>
        <IconButton
          icon="x"
          small
          label={t("dialog.close")}
          onClick={() => {
            test.state.value = null;
          }}
        />
      </div>
      {steps.map((step) => (
        <div class="check" key={step.name}>
          <Icon name={step.ok ? "check" : "x"} small class={step.ok ? "ok" : "danger"} />
          <span class="grow">
            {t(`test.${step.name}` as Key)}
            {step.message && <span class="quiet"> {step.message}</span>}
          </span>
          {step.ms != null && <span class="small quiet num">{duration(step.ms)}</span>}
        </div>
      ))}
    </div>
  );
}
