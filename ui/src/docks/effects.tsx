/** What an approval is about beside the command: folder, rights, reason, all the rest. */

import { has, type Key, t } from "../i18n";
import type { Json, PendingApproval } from "../wire";
import { Exact, Pieces } from "./exact";

/** Shown in places of their own; the grade of the host stands for the asker's guess. */
const PLACED = new Set(["title", "command", "path", "cwd", "mode", "justification", "risk"]);

export function Effects({ approval }: { approval: PendingApproval }) {
  const { shown, reason } = approval;
  const rows: [string, string][] = [];
  if (shown.command && shown.path) rows.push([t("approval.path"), shown.path]);
  if (shown.cwd) rows.push([t("approval.folder"), shown.cwd]);
  if (shown.mode) rows.push([t("approval.asksFor"), modeWords(shown.mode)]);
  // A reason that only names the mode says nothing that "asks for" does not.
  const more = shown.mode && reason?.endsWith(shown.mode) ? null : reason;
  const why = [...new Set([shown.justification, more])].filter(Boolean);
  if (why.length) rows.push([t("approval.whyNow"), why.join("\n")]);
  const rest = Object.entries(shown).filter(([name, value]) => !PLACED.has(name) && value != null);
  return (
    <>
      <dl class="effects">
        {rows.map(([name, value]) => (
          <Row key={name} name={name} value={value} />
        ))}
        {rest.map(([name, value]) =>
          isLong(value) ? null : <Row key={name} name={name} value={textOf(value)} />,
        )}
      </dl>
      {rest.map(([name, value]) =>
        isLong(value) ? (
          <div key={name} class="vstack">
            <span class="small quiet">{name}</span>
            <Exact raw={textOf(value)} />
          </div>
        ) : null,
      )}
    </>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Pieces raw={value} />
      </dd>
    </>
  );
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function isLong(value: Json | undefined): boolean {
  const text = textOf(value);
  return text.length > 160 || text.includes("\n");
}

function modeWords(mode: string): string {
  const key = `mode.${mode}`;
  if (!has(key)) return mode;
  return `${t(key)}: ${t(`${key}.text` as Key)}`;
}
