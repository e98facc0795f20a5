/** What a message of role user says on the screen. */

import type { Message, Source } from "../wire";

export function textOf(message: Message): string {
  return message.content.map((b) => (b.type === "text" ? b.text : "")).join("\n\n");
}

type PluginSource = Extract<Source, { kind: "plugin" }>;

export function contextOf(message: Message, source: PluginSource) {
  const text = textOf(message);
  const sections = Object.keys(source.sections ?? {}).join(", ");
  return {
    plugin: source.plugin,
    form: source.form ?? ("notice" as const),
    summary: source.summary ?? (sections || firstLine(text)),
    text,
  };
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, 160) ?? "";
}
