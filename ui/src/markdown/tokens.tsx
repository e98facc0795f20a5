/**
 * Tokens to elements, from a fixed list of kinds. Nothing of the text is ever read as
 * HTML: what looks like tags is shown as the text that it is.
 */

import type { Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { CodeBlock } from "./code";
import { decoded } from "./entities";
import { Link, RemoteImage } from "./link";

interface TokensProps {
  tokens: Token[] | undefined;
  live?: boolean;
}

export function BlockTokens({ tokens = [], live = false }: TokensProps) {
  return <>{tokens.map((token, at) => block(token, at, live))}</>;
}

const HEADINGS = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function block(token: Token, key: number, live: boolean): ComponentChildren {
  switch (token.type) {
    case "paragraph":
      return <p key={key}>{inline(token.tokens)}</p>;
    case "heading": {
      const Tag = HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6";
      return (
        <Tag key={key} class={`md-h md-h${(token as Tokens.Heading).depth}`}>
          {inline(token.tokens)}
        </Tag>
      );
    }
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock key={key} text={text} lang={lang ?? ""} live={live} />;
    }
    case "list":
      return <List key={key} token={token as Tokens.List} />;
    case "blockquote":
      return (
        <blockquote key={key}>
          <BlockTokens tokens={token.tokens} />
        </blockquote>
      );
    case "table":
      return <Table key={key} token={token as Tokens.Table} />;
    case "hr":
      return <hr key={key} />;
    case "html":
      return (
        <p key={key} class="md-html">
          {token.raw.trim()}
        </p>
      );
    case "text":
      return token.tokens ? inline(token.tokens) : decoded((token as Tokens.Text).text);
    case "space":
    case "def":
      return null;
    default:
      return inline([token]);
  }
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, at) => (
    <li key={at} class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled />}
      <BlockTokens tokens={item.tokens.filter((part) => part.type !== "checkbox")} />
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={Number(token.start) || 1}>{items}</ol>;
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    <div class="md-table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} class={alignOf(cell)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, place) => (
                <td key={place} class={alignOf(cell)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alignOf(cell: Tokens.TableCell): string | undefined {
  return cell.align ? `align-${cell.align}` : undefined;
}

export function inline(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map((token, at) => span(token, at)) ?? null;
}

function span(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : decoded((token as Tokens.Text).text);
    case "escape":
      return (token as Tokens.Escape).text;
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return (
        <Link key={key} href={(token as Tokens.Link).href} title={(token as Tokens.Link).title}>
          {inline(token.tokens)}
        </Link>
      );
    case "image": {
      const { href, text } = token as Tokens.Image;
      return <RemoteImage key={key} href={href} text={text || t("md.imageHint")} />;
    }
    default:
      // Raw HTML, and whatever a later version of the parser may add.
      return token.raw;
  }
}
