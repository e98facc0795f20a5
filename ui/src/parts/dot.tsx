/** A status mark: a shape, a colour and a hidden word. */

import { type Key, t } from "../i18n";

export type DotKind =
  | "idle"
  | "running"
  | "waiting"
  | "done"
  | "ok"
  | "failed"
  | "pending"
  | "off";

export function Dot({ kind, word }: { kind: DotKind; word?: string }) {
  const shape = kind === "ok" ? "done" : kind;
  return (
    <span class={`dot ${shape}`}>
      <span class="sr">{word ?? t(`mark.${kind}` as Key)}</span>
    </span>
  );
}
