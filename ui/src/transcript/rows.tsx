/** The plain rows: messages, thoughts, notes, errors, the foot of a turn. */

import type { FootRow, NoteRow, TextRow, UserRow } from "../core/rows";
import { type Key, t } from "../i18n";
import { clock, count, duration, moment, whole } from "../i18n/format";
import { Icon } from "../icons/icon";
import { Markdown } from "../markdown/markdown";
import { CopyButton } from "../parts/buttons";
import type { RowProps } from "../slots/slots";

export function UserView({ row }: RowProps) {
  const { text, steered, time } = row as UserRow;
  return (
    <div class="user" title={moment(time)}>
      <span class="sr">{t("row.you")}</span>
      <p class="user-text">{text}</p>
      {steered && <span class="small quiet">{t("row.steered")}</span>}
    </div>
  );
}

export function TextView({ row }: RowProps) {
  const text = row as TextRow;
  text.changed.value;
  return (
    <div class="prose" data-testid="answer">
      <Markdown owner={text} text={text.text} live={text.live} />
      {text.interrupted && <span class="tag">{t("row.interruptedText")}</span>}
    </div>
  );
}

export function NoteView({ row, store }: RowProps) {
  const note = row as NoteRow;
  const open = store.folds.value.get(note.key) ?? false;
  const words =
    note.note === "mode"
      ? t("note.mode", { mode: t(`mode.${note.mode}` as Key) })
      : t(`note.${note.note}` as Key);
  const compaction = note.note === "compaction";
  return (
    <>
      <div class="marker" data-note={note.note}>
        {compaction ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => store.setFold(note.key, !open)}
          >
            <Icon name="fold-vertical" />
            {words}
            <Icon name={open ? "chevron-down" : "chevron-right"} class="caret" />
          </button>
        ) : (
          <span>
            {words}
            {note.detail && `: ${note.detail}`}
          </span>
        )}
      </div>
      {compaction && open && (
        <div class="prose note-detail">
          <Markdown owner={note} text={note.detail ?? ""} live={false} />
        </div>
      )}
    </>
  );
}

export function FootView({ row }: RowProps) {
  const foot = row as FootRow;
  const { ranMs, firstTokenMs, tokensPerSecond: speed, inputTokens, outputTokens } = foot;
  return (
    <div class="turn-foot">
      {foot.answer && <CopyButton text={() => foot.answer} label={t("row.copyAnswer")} />}
      <span class="facts">
        <span title={moment(foot.time)}>{clock(foot.time)}</span>
        {ranMs !== undefined && <span>{t("foot.ran", { time: duration(ranMs) })}</span>}
        {firstTokenMs !== undefined && (
          <span>{t("foot.firstToken", { time: duration(firstTokenMs) })}</span>
        )}
        {speed !== undefined && <span>{t("foot.speed", { n: whole(speed) })}</span>}
        {inputTokens !== undefined && outputTokens !== undefined && (
          <span>{t("foot.tokens", { input: count(inputTokens), output: count(outputTokens) })}</span>
        )}
      </span>
    </div>
  );
}
