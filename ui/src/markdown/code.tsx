/** Code, coloured once the colouring has loaded and the text stands still. */

import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals-core";
import { t } from "../i18n";
import { CopyButton } from "../parts/buttons";
import type { Highlighter, Piece } from "./highlight";

const highlighter = signal<Highlighter | null>(null);
let asked = false;

function askFor(): void {
  if (asked) return;
  asked = true;
  void import("./highlight").then((module) => {
    highlighter.value = module.highlight;
  });
}

const MOST = 20_000;

function piecesOf(text: string, lang: string): Piece[] | null {
  if (!lang || text.length > MOST) return null;
  return highlighter.value?.(text, lang) ?? null;
}

export function Code({ text, lang }: { text: string; lang: string }) {
  useEffect(() => {
    if (lang) askFor();
  }, [lang]);
  const pieces = piecesOf(text, lang);
  if (!pieces) return <>{text}</>;
  return <>{pieces.map(view)}</>;
}

function view(piece: Piece, at: number): preact.ComponentChild {
  if (typeof piece === "string") return piece;
  return (
    <span key={at} class={piece.style}>
      {piece.parts.map(view)}
    </span>
  );
}

interface CodeBlockProps {
  text: string;
  lang: string;
  live: boolean;
}

export function CodeBlock({ text, lang, live }: CodeBlockProps) {
  const name = /^[\w+#.-]{1,20}/.exec(lang)?.[0] ?? "";
  return (
    <figure class="code-block">
      <figcaption>
        <span class="grow">{name}</span>
        <CopyButton text={() => text} label={t("md.copyCode")} />
      </figcaption>
      <pre>
        <code>
          <Code text={text} lang={live ? "" : name.toLowerCase()} />
        </code>
      </pre>
    </figure>
  );
}
