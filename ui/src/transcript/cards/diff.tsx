/** Changed files, one below the other. */

import { t } from "../../i18n";
import type { CardProps } from "../../slots/slots";
import type { DiffCard, FileDiff } from "../../wire";
import { FoldButton, Took } from "../tool";
import { verbOf } from "../verbs";
import { type DiffLine, diffView } from "./difflines";
import { FOLD_LINES, isAll, OpenFile, ShowAll, shell } from "./fold";

export function DiffCardView({ card: any, row, store }: CardProps) {
  row.changed.value; // the row is changed in place, so its props never are
  const card = any as DiffCard;
  const bad = row.state === "failed" || row.state === "unknown";
  const views = card.diffs.map((diff) => ({ diff, view: diffView(diff) }));
  const total = views.reduce((sum, { view }) => sum + view.lines.length, 0);
  const all = isAll(store, row);
  let left = all ? Number.POSITIVE_INFINITY : FOLD_LINES;
  const one = card.diffs.length === 1 ? card.diffs[0]! : null;
  return (
    <div class={shell(row)} data-testid="card-diff" data-state={row.state}>
      <div class="tool-head">
        <span class="verb medium">{verbOf(row)}</span>
        <span class="trunc grow second mono">{one?.path ?? card.title}</span>
        <span class="end">
          <Stats
            added={views.reduce((n, { view }) => n + view.added, 0)}
            removed={views.reduce((n, { view }) => n + view.removed, 0)}
          />
          {row.state === "running" && <Took row={row} />}
          <OpenFile store={store} path={one?.path} />
          <FoldButton row={row} store={store} />
        </span>
      </div>
      {views.map(({ diff, view }) => {
        const shown = view.lines.slice(0, Math.max(0, left));
        left -= view.lines.length;
        if (!shown.length && !view.tooBig) return null;
        return (
          <div key={diff.path}>
            {!one && <FileHead diff={diff} added={view.added} removed={view.removed} />}
            {view.tooBig ? (
              <div class="tool-note">{t("tool.tooBig")}</div>
            ) : (
              <div class="diff">
                {shown.map((line) => (
                  <Line key={`${line.kind}${line.old ?? ""}:${line.new ?? line.hidden}`} line={line} />
                ))}
              </div>
            )}
          </div>
        );
      })}
      {bad && row.text && <div class="tool-note danger">{row.text}</div>}
      {total > FOLD_LINES && (
        <div class="tool-foot">
          <ShowAll row={row} store={store} lines={total} />
        </div>
      )}
    </div>
  );
}

function FileHead({ diff, added, removed }: { diff: FileDiff; added: number; removed: number }) {
  return (
    <div class="diff-file">
      <span class="mono trunc grow">{diff.path}</span>
      {diff.oldText === null && <span class="tag">{t("tool.newFile")}</span>}
      <Stats added={added} removed={removed} />
    </div>
  );
}

export function Stats({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="stats">
      {added > 0 && <span class="a">+{added}</span>}
      {removed > 0 && <span class="d">−{removed}</span>}
    </span>
  );
}

const SIGNS = { same: " ", add: "+", del: "−", gap: "" };

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "gap") {
    return <div class="hunk">{t("tool.unchanged", { n: line.hidden ?? 0 })}</div>;
  }
  return (
    <div class={`dl ${line.kind === "same" ? "" : line.kind}`}>
      <i>{line.old}</i>
      <i>{line.new}</i>
      <b>{SIGNS[line.kind]}</b>
      <span>
        {line.words.map((word, at) =>
          word.marked ? <em key={at}>{word.text}</em> : word.text,
        )}
      </span>
    </div>
  );
}
