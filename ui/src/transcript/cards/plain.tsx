/** The quieter cards: a file that was read, a search, and anything without a better form. */

import type { ToolRow } from "../../core/rows";
import { t } from "../../i18n";
import { Icon } from "../../icons/icon";
import { Code } from "../../markdown/code";
import { CopyButton } from "../../parts/buttons";
import type { CardProps } from "../../slots/slots";
import type { GenericCard, Match, ReadCard, SearchCard } from "../../wire";
import { FoldButton, Took } from "../tool";
import { verbOf } from "../verbs";
import { FOLD_LINES, isAll, OpenFile, ShowAll, shell } from "./fold";

interface HeadProps extends Omit<CardProps, "card"> {
  title: preact.ComponentChildren;
  end?: preact.ComponentChildren;
}

function Head({ row, store, title, end }: HeadProps) {
  row.changed.value; // as in every part below: the row is changed in place, its props never are
  return (
    <div class="tool-head">
      <span class="verb medium">{verbOf(row)}</span>
      <span class="trunc grow second">{title}</span>
      <span class="end">
        {end}
        <Took row={row} />
        <FoldButton row={row} store={store} />
      </span>
    </div>
  );
}

function Problem({ row }: { row: ToolRow }) {
  row.changed.value;
  if (row.state === "unknown") return <div class="tool-note warn">{t("tool.unknownText")}</div>;
  if (row.state !== "failed") return null;
  return <div class="tool-note danger">{row.text}</div>;
}

export function ReadView({ card: any, row, store }: CardProps) {
  row.changed.value;
  const card = any as ReadCard;
  const lines = card.lines ?? [];
  const shown = isAll(store, row) ? lines : lines.slice(0, FOLD_LINES);
  const [from, to] = [lines[0]?.line, lines.at(-1)?.line];
  const end = (
    <>
      {from !== undefined && to !== undefined && (
        <span>{t("tool.lines", { from, to, all: card.totalLines ?? to })}</span>
      )}
      <OpenFile store={store} path={card.path} />
    </>
  );
  return (
    <div class={shell(row)} data-testid="card-read" data-state={row.state}>
      <Head row={row} store={store} title={<span class="mono">{card.path}</span>} end={end} />
      <Problem row={row} />
      {shown.length > 0 && (
        <div class="code">
          <Lines lines={shown} lang={card.lang ?? ""} />
        </div>
      )}
      {lines.length > FOLD_LINES && (
        <div class="tool-foot">
          <ShowAll row={row} store={store} lines={lines.length} />
        </div>
      )}
    </div>
  );
}

function Lines({ lines, lang }: { lines: Match[]; lang: string }) {
  return (
    <>
      {lines.map((line) => (
        <div class="ln" key={line.line}>
          <i>{line.line}</i>
          <span>
            <Code text={line.text} lang={lang} />
          </span>
        </div>
      ))}
    </>
  );
}

export function SearchView({ card: any, row, store }: CardProps) {
  row.changed.value;
  const card = any as SearchCard;
  const files = card.files ?? [];
  const paths = card.paths ?? [];
  const matches = files.reduce((sum, file) => sum + file.matches.length, 0);
  const n = card.total ?? (matches || paths.length);
  const inFiles = t("tool.inFiles", { n: files.length });
  const summary = paths.length ? t("tool.paths", { n }) : t("tool.matches", { n, files: inFiles });
  const all = isAll(store, row);
  let left = all ? Number.POSITIVE_INFINITY : FOLD_LINES;
  return (
    <div class={shell(row)} data-testid="card-search" data-state={row.state}>
      <Head
        row={row}
        store={store}
        title={<code>{card.title}</code>}
        end={row.state === "running" ? null : <span>{summary}</span>}
      />
      <Problem row={row} />
      <div class="hits">
        {files.map((file) => {
          const shown = file.matches.slice(0, Math.max(0, left));
          left -= file.matches.length;
          if (!shown.length) return null;
          return (
            <div key={file.path}>
              <div class="hit-file">
                <Icon name="file-text" small />
                <span class="mono trunc">{file.path}</span>
                <span class="quiet">{file.matches.length}</span>
              </div>
              {shown.map((match) => (
                <div class="ln" key={match.line}>
                  <i>{match.line}</i>
                  <span>{match.text}</span>
                </div>
              ))}
            </div>
          );
        })}
        {paths.slice(0, Math.max(0, left)).map((path) => (
          <div class="hit-file" key={path}>
            <Icon name="file-text" small />
            <span class="mono trunc">{path}</span>
          </div>
        ))}
        {card.truncated && <div class="hit-file quiet">{t("tool.more")}</div>}
      </div>
      {matches + paths.length > FOLD_LINES && (
        <div class="tool-foot">
          <ShowAll row={row} store={store} lines={matches + paths.length} />
        </div>
      )}
    </div>
  );
}

export function GenericView({ card: any, row, store }: CardProps) {
  row.changed.value;
  const card = any as GenericCard;
  const text = card.text ?? row.text;
  const title = card.title || row.name;
  return (
    <div class={shell(row)} data-testid="card-generic" data-state={row.state}>
      <Head
        row={row}
        store={store}
        title={title}
        end={text && <CopyButton text={() => text} />}
      />
      {row.state === "unknown" && <div class="tool-note warn">{t("tool.unknownText")}</div>}
      <Part label={t("tool.input")} text={pretty(row.args)} id="input" row={row} store={store} />
      <Part label={t("tool.result")} text={text} id="result" row={row} store={store} />
    </div>
  );
}

function pretty(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    return value && Object.keys(value).length ? JSON.stringify(value, null, 2) : "";
  } catch {
    return args;
  }
}

interface PartProps extends Omit<CardProps, "card"> {
  label: string;
  text: string;
  id: string;
}

function Part({ label, text, id, row, store }: PartProps) {
  if (!text) return null;
  const lines = text.split("\n");
  const key = `${row.key}:${id}`;
  const all = store.folds.value.get(key) ?? false;
  const shown = all ? text : lines.slice(0, FOLD_LINES).join("\n");
  return (
    <div class="part">
      <div class="part-head small quiet">{label}</div>
      <pre class="part-text">{shown}</pre>
      {lines.length > FOLD_LINES && (
        <button type="button" class="link small" onClick={() => store.setFold(key, !all)}>
          {all ? t("row.showLess") : t("row.showAllLines", { n: lines.length })}
        </button>
      )}
    </div>
  );
}
