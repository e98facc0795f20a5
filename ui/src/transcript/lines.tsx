/** Rows of one line that may open: thoughts, context, retries, and turn errors. */

import type { ContextRow, ErrorRow, ReasoningRow, RetryRow } from "../core/rows";
import { has, type Key, t } from "../i18n";
import { duration, stopwatch } from "../i18n/format";
import { Icon } from "../icons/icon";
import { everySecond } from "../parts/clock";
import { useApp } from "../parts/context";
import type { RowProps } from "../slots/slots";
import type { LlmFailure } from "../wire";

const SHOWN = 240;

function firstSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").slice(0, SHOWN);
  return /^.+?[.!?。！？](?=\s|$)/.exec(line)?.[0] ?? line;
}

function lastLine(text: string): string {
  return text.trimEnd().slice(-SHOWN).split("\n").at(-1) ?? "";
}

export function ReasoningView({ row, store }: RowProps) {
  const thought = row as ReasoningRow;
  thought.changed.value;
  const open = store.folds.value.get(thought.key) ?? false;
  const { began, ended, live, text } = thought;
  const verb = live
    ? t("row.thinking")
    : began !== undefined && ended !== undefined
      ? t("row.thoughtFor", { time: duration(ended - began) })
      : t("row.thought");
  return (
    <>
      <button
        type="button"
        class="line"
        aria-expanded={open}
        onClick={() => store.setFold(thought.key, !open)}
      >
        <span class="verb second">{verb}</span>
        <span class="what trunc quiet">{live ? lastLine(text) : firstSentence(text)}</span>
        <span class="end">
          <Icon name={open ? "chevron-down" : "chevron-right"} class="caret" />
        </span>
      </button>
      {open && <div class="thought">{text}</div>}
    </>
  );
}

export function ContextView({ row, store }: RowProps) {
  const context = row as ContextRow;
  const open = store.folds.value.get(context.key) ?? false;
  return (
    <>
      <button
        type="button"
        class="line"
        aria-expanded={open}
        onClick={() => store.setFold(context.key, !open)}
      >
        <span class="verb second">{t(`row.context.${context.form}` as Key)}</span>
        <span class="what trunc quiet">{context.summary}</span>
        <span class="end">
          <Icon name={open ? "chevron-down" : "chevron-right"} class="caret" />
        </span>
      </button>
      {open && <div class="thought mono">{context.text}</div>}
    </>
  );
}

/** The failure in the person's language, where its code is known. */
function wordsOf(failure: LlmFailure): string {
  const key = `failure.${failure.code}`;
  return has(key) ? t(key) : failure.message;
}

export function RetryView({ row, store }: RowProps) {
  const retry = row as RetryRow;
  retry.changed.value;
  const open = store.folds.value.get(retry.key) ?? false;
  const states: Record<RetryRow["state"], string> = {
    waiting: t("retry.waiting", { time: waitOf(retry) }),
    started: t("retry.started"),
    answered: t("retry.answered"),
    "gave-up": t("retry.gaveUp"),
  };
  const n = retry.retry;
  const tries =
    retry.most === undefined
      ? t("retry.countOpen", { n })
      : t("retry.count", { n, most: retry.most });
  return (
    <>
      <button
        type="button"
        class="line"
        data-testid="retry"
        aria-expanded={open}
        onClick={() => store.setFold(retry.key, !open)}
      >
        <span class="verb second">{states[retry.state]}</span>
        <span class="what trunc quiet">{wordsOf(retry.failure)}</span>
        <span class="end">
          {tries}
          <Icon name={open ? "chevron-down" : "chevron-right"} class="caret" />
        </span>
      </button>
      {open && <Failure failure={retry.failure} />}
    </>
  );
}

function waitOf(retry: RetryRow): string {
  return stopwatch(retry.due - everySecond.value + 999);
}

function Failure({ failure }: { failure: LlmFailure }) {
  const facts = [
    failure.code,
    failure.status && `HTTP ${failure.status}`,
    failure.requestId,
  ].filter(Boolean);
  return (
    <div class="thought mono">
      {facts.join(" · ")}
      {"\n"}
      {failure.message}
    </div>
  );
}

const ABOUT_MODELS = new Set([
  "AUTH",
  "INVALID_CREDENTIAL",
  "MISSING_CREDENTIAL",
  "QUOTA",
  "NO_ADAPTER",
  "UNKNOWN_MODEL",
  "TRANSPORT",
]);

export function ErrorView({ row, store }: RowProps) {
  const app = useApp();
  const { failure, last, changed } = row as ErrorRow;
  changed.value;
  return (
    <div class="tool bad error-card" role="group" data-testid="turn-error">
      <div class="tool-head">
        <span class="medium">{t("error.title")}</span>
        <span class="end">
          <span class="tag danger">{failure.code}</span>
        </span>
      </div>
      <div class="error-text">
        <p>{wordsOf(failure)}</p>
        {wordsOf(failure) !== failure.message && <p class="small quiet">{failure.message}</p>}
      </div>
      {last && (
        <div class="tool-foot acts">
          <button
            type="button"
            class="btn"
            onClick={() =>
              app.attempt(() => app.api.call("session/retry", { sessionId: store.id }))
            }
          >
            <Icon name="rotate-cw" small />
            {t("error.retry")}
          </button>
          {ABOUT_MODELS.has(failure.code) && (
            <button
              type="button"
              class="btn"
              onClick={() => app.nav.go({ at: "settings", page: "models" })}
            >
              {t("error.models")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
