/** Markdown on the screen, block by block. */

import { memo } from "./memo";
import { type Block, Blocks } from "./blocks";
import { BlockTokens } from "./tokens";

const parsers = new WeakMap<object, Blocks>();

interface MarkdownProps {
  /** Whose text it is: the same owner's text is parsed on from where it was. */
  owner: object;
  text: string;
  live: boolean;
}

export function Markdown({ owner, text, live }: MarkdownProps) {
  let parser = parsers.get(owner);
  if (!parser) {
    parser = new Blocks();
    parsers.set(owner, parser);
  }
  const blocks = parser.update(text, live);
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView
          key={at}
          block={block}
          live={live && at === blocks.length - 1}
        />
      ))}
      {live && !blocks.length && <p class="live" />}
    </>
  );
}

interface BlockViewProps {
  block: Block;
  live: boolean;
}

const BlockView = memo<BlockViewProps>(
  ({ block, live }) => (
    <div class={`md ${live ? "live-block" : ""}`}>
      <BlockTokens tokens={block.tokens} live={live} />
    </div>
  ),
  (a, b) => a.block === b.block && a.live === b.live,
);
