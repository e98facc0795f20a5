/** The colouring of code: a part of its own, loaded when there is code to colour. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = {
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

export type Piece = string | { style: string; parts: Piece[] };
export type Highlighter = (text: string, lang: string) => Piece[] | null;

/** The library's scopes in our five kinds of code. */
const STYLES: Record<string, string> = {
  keyword: "k-key",
  literal: "k-key",
  type: "k-key",
  built_in: "k-fn",
  string: "k-str",
  regexp: "k-str",
  char: "k-str",
  addition: "k-str",
  number: "k-num",
  symbol: "k-num",
  deletion: "k-num",
  title: "k-fn",
  name: "k-fn",
  attr: "k-fn",
  attribute: "k-fn",
  section: "k-fn",
  selector: "k-fn",
  comment: "k-note",
  meta: "k-note",
  quote: "k-note",
  doctag: "k-note",
};

interface Node {
  scope?: string;
  children?: (string | Node)[];
}

function pieceOf(node: string | Node): Piece {
  if (typeof node === "string") return node;
  const parts = (node.children ?? []).map(pieceOf);
  const scope = node.scope?.split(/[.-]/)[0] ?? "";
  return { style: STYLES[scope] ?? "", parts };
}

export const highlight: Highlighter = (text, lang) => {
  if (!hljs.getLanguage(lang)) return null;
  const result = hljs.highlight(text, { language: lang, ignoreIllegals: true });
  // The tree, not the markup: nothing is ever parsed as HTML.
  const root = (result._emitter as unknown as { rootNode: Node }).rootNode;
  return (root.children ?? []).map(pieceOf);
};
