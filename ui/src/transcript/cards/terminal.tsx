/** A command with its output. */

import type { ToolRow } from "../../core/rows";
import { t } from "../../i18n";
import { Icon } from "../../icons/icon";
import { CopyButton } from "../../parts/buttons";
import { useApp } from "../../parts/context";
import type { CardProps } from "../../slots/slots";
import type { TerminalCard } from "../../wire";
import { FoldButton, Took } from "../tool";
import { verbOf } from "../verbs";
import { ansiLines, lastLines, lineCount } from "./ansi";
import { FOLD_LINES, isAll, ShowAll, shell } from "./fold";

/** The whole command: the title is one line of it. */
function commandOf(row: ToolRow, card: TerminalCard): string {
  try {
    const told = (JSON.parse(row.args) as { command?: unknown }).command;
    if (typeof told === "string" && told.trim()) return told;
  } catch {
    // Arguments that are no JSON: the title says what is known.
  }
  return card.title;
}

export function TerminalView({ card: any, row, store }: CardProps) {
  row.changed.value; // the row is changed in place, so its props never are
  const card = any as TerminalCard;
  const live = row.state === "running";
  const output = live ? row.output : (card.output ?? row.text);
  const lines = lineCount(output);
  const all = isAll(store, row);
  const shown = all ? output : lastLines(output, FOLD_LINES);
  const command = commandOf(row, card);
  return (
    <div class={shell(row)} data-testid="card-terminal" data-state={row.state}>
      <div class="tool-head">
        <span class="verb medium">{verbOf(row)}</span>
        <code class="trunc grow second">{card.title}</code>
        <span class="end">
          <Exit card={card} row={row} />
          <Took row={row} />
          <CopyButton text={() => `${command}\n${output}`} />
          <FoldButton row={row} store={store} />
        </span>
      </div>
      <div class="term">
        <div class="term-command">
          <span class="p">$ </span>
          <span class="cmd">{command}</span>
        </div>
        <Output text={shown} live={live} />
        {!live && !output.trim() && <span class="quiet">{t("tool.noOutput")}</span>}
      </div>
      <TerminalFoot card={card} row={row} store={store} lines={lines} />
    </div>
  );
}

function Output({ text, live }: { text: string; live: boolean }) {
  if (!text && !live) return null;
  return (
    <div class={`o ${live ? "live" : ""}`}>
      {ansiLines(text).map((spans, at) => (
        <div key={at} class="o-line">
          {spans.map((span, place) => (
            <span key={place} class={span.style || undefined}>
              {span.text}
            </span>
          ))}
          {"\n"}
        </div>
      ))}
    </div>
  );
}

function Exit({ card, row }: { card: TerminalCard; row: ToolRow }) {
  if (row.state === "running") return null;
  if (card.signal) return <span class="tag danger">{t("tool.signal", { name: card.signal })}</span>;
  if (card.exitCode == null) return null;
  const code = String(card.exitCode);
  return card.exitCode === 0 ? (
    <span class="tag ok">
      <Icon name="check" />
      {t("tool.exit", { code })}
    </span>
  ) : (
    <span class="tag danger">{t("tool.exit", { code })}</span>
  );
}

interface FootProps extends Omit<CardProps, "card"> {
  card: TerminalCard;
  lines: number;
}

function TerminalFoot({ card, row, store, lines }: FootProps) {
  const app = useApp();
  const { cwd, sandbox, denied, truncated } = card;
  const unknown = row.state === "unknown";
  if (!cwd && !sandbox && !denied && !truncated && !unknown && lines <= FOLD_LINES) return null;
  return (
    <>
      {unknown && <div class="tool-note warn">{t("tool.unknownText")}</div>}
      {denied && <div class="tool-note warn">{t("tool.denied", { what: denied })}</div>}
      <div class="tool-foot">
        {cwd && <span class="trunc">{cwd}</span>}
        {sandbox && <span class="trunc">{sandbox}</span>}
        {truncated && (
          <button
            type="button"
            class="link"
            onClick={() => app.attempt(() => app.api.call("host/openPath", { path: truncated }))}
          >
            {t("tool.fullOutput")}
          </button>
        )}
        <ShowAll row={row} store={store} lines={lines} />
      </div>
    </>
  );
}
