/** One item of the transcript, with its mark in the gutter. */

import type { ComponentChildren } from "preact";
import { type Item, isGroup } from "../core/items";
import { cardOf, type Row, type ToolRow } from "../core/rows";
import type { SessionStore } from "../core/session";
import { Icon, type IconName } from "../icons/icon";
import { Dot } from "../parts/dot";
import { slots } from "../slots/slots";
import { Keyed } from "../slots/views";
import { GroupLine } from "./group";
import { ToolView } from "./tool";

interface ItemViewProps {
  item: Item;
  store: SessionStore;
}

/** Rows that stand across the column, without a mark. */
const WIDE = new Set<Row["kind"]>(["user", "note", "foot"]);

export function ItemView({ item, store }: ItemViewProps) {
  const start = item.first ? "turn-start" : "";
  if (isGroup(item)) {
    const icon = item.group === "context" ? "layers" : (GROUP_ICONS[item.group] ?? "settings");
    return (
      <Step link={item.link} start={start} mark={<Icon name={icon} />}>
        <GroupLine group={item.group} rows={item.rows} id={item.key} store={store} />
      </Step>
    );
  }
  const { row } = item;
  row.changed.value;
  const view =
    row.kind === "tool" ? (
      <ToolView row={row} form={item.form} store={store} />
    ) : (
      <Keyed slot={slots.row} name={row.kind} with={{ row, store }} />
    );
  if (WIDE.has(row.kind)) return <div class={start}>{view}</div>;
  return (
    <Step link={item.link} start={start} mark={markOf(row)}>
      {view}
    </Step>
  );
}

interface StepProps {
  link: boolean;
  start: string;
  mark: ComponentChildren;
  children: ComponentChildren;
}

export function Step({ link, start, mark, children }: StepProps) {
  return (
    <div class={`step ${link ? "link" : ""} ${start}`}>
      <span class="g">{mark}</span>
      <div class="c">{children}</div>
    </div>
  );
}

export const GROUP_ICONS: Record<string, IconName> = {
  terminal: "square-terminal",
  read: "file-text",
  search: "text-search",
  diff: "file-diff",
  generic: "settings",
};

function markOf(row: Row): ComponentChildren {
  switch (row.kind) {
    case "reasoning":
      return <Icon name="lightbulb" />;
    case "context":
      return <Icon name="layers" />;
    case "retry":
      return <Icon name="rotate-cw" />;
    case "error":
      return <Dot kind="failed" />;
    case "tool":
      return toolMark(row);
    default:
      return null;
  }
}

function toolMark(row: ToolRow): ComponentChildren {
  switch (row.state) {
    case "writing":
    case "running":
      return <Dot kind="running" />;
    case "waiting":
      return <Dot kind="waiting" />;
    case "failed":
      return <Dot kind="failed" />;
    case "refused":
    case "stopped":
      return <Dot kind="off" word="" />;
    case "unknown":
      return <Icon name="triangle-alert" class="warn" />;
    default:
      return <Icon name={GROUP_ICONS[cardOf(row)?.kind ?? "generic"] ?? "settings"} />;
  }
}
