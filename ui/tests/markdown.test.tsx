import { marked } from "marked";
import { describe, expect, test, vi } from "vitest";
import { Blocks } from "../src/markdown/blocks";
import { safeUrl } from "../src/markdown/link";
import { Markdown } from "../src/markdown/markdown";
import { stage } from "./stage";

function html(text: string): HTMLElement {
  const { show, place } = stage();
  show(<Markdown owner={{}} text={text} live={false} />);
  return place;
}

const ALLOWED = new Set(
  "A BLOCKQUOTE BR BUTTON CODE DEL DIV EM FIGCAPTION FIGURE H3 H4 H5 H6 HR INPUT LI OL P PATH PRE RECT SPAN STRONG SVG TABLE TBODY TD TH THEAD TR UL".split(
    " ",
  ),
);

const HOSTILE = [
  "<script>window.pwned=1</script>",
  "<img src=x onerror=window.pwned=1>",
  "<svg><script>window.pwned=1</script></svg>",
  "<iframe src=javascript:window.pwned=1></iframe>",
  "[x](javascript:window.pwned=1)",
  "[x](JaVaScRiPt:window.pwned=1)",
  "[x](data:text/html,<script>1</script>)",
  "[x](vbscript:x)",
  "<javascript:window.pwned=1>",
  "![x](javascript:window.pwned=1)",
  "![x](https://evil.example/a.png)",
  "![x][r]\n\n[r]: https://evil.example/b.png",
  "<a href='javascript:1'>x</a>",
  "<style>@import 'https://evil.example'</style>",
  "<link rel=prefetch href=https://evil.example>",
  "<video poster=https://evil.example/v></video>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "```<script>\nx\n```",
  "| <img src=x onerror=1> | b |\n|---|---|\n| <b onclick=1>x</b> | [x](javascript:1) |",
  "<details open ontoggle=window.pwned=1>",
  "&#60;script&#62;window.pwned=1&#60;/script&#62;",
];

describe("hostile text", () => {
  test.each(HOSTILE)("%s stays text", (text) => {
    const place = html(text);
    for (const element of place.querySelectorAll("*")) {
      expect(ALLOWED.has(element.tagName.toUpperCase()), element.outerHTML).toBe(true);
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on|^src|^style$|poster|srcset/);
        if (name === "href") expect(value).toMatch(/^(https?|mailto):/);
      }
    }
    expect((globalThis as { pwned?: unknown }).pwned).toBeUndefined();
  });

  test("an image from elsewhere is a button that names the host", () => {
    const button = html("![chart](https://evil.example/a.png?q=secret)").querySelector("button");
    expect(button?.textContent).toContain("evil.example");
  });

  test("only web and mail addresses are links", () => {
    expect(safeUrl("https://a.example/x")?.href).toBe("https://a.example/x");
    expect(safeUrl("mailto:a@b.example")).not.toBeNull();
    for (const bad of ["javascript:1", " javascript:1", "file:///etc/passwd", "/local", "x"]) {
      expect(safeUrl(bad)).toBeNull();
    }
  });
});

describe("markdown", () => {
  test("has lists, tables, code and character references", () => {
    const place = html("- a\n- b `c`\n\n| x | y |\n|--:|---|\n| 1 | 2 |\n\n```py\nz\n```\n\nA &amp; B &lt;");
    expect(place.querySelectorAll("li")).toHaveLength(2);
    expect(place.querySelector("td")?.className).toBe("align-right");
    expect(place.querySelector("pre")?.textContent).toBe("z");
    expect(place.textContent).toContain("A & B <");
  });

  test("has bold next to Chinese marks", () => {
    const strong = (text: string) =>
      [...html(text).querySelectorAll("strong")].map((element) => element.textContent);
    expect(strong("**注意：**请先读")).toEqual(["注意："]);
    expect(strong("这是**“重点”**内容")).toEqual(["“重点”"]);
    expect(strong("a **b** c")).toEqual(["b"]);
  });
});

describe("text that grows", () => {
  const TEXT = `# Title\n\nFirst *para*.\n\n- a\n- b\n\n  more of b\n\n\`\`\`js\nlet a;\n\nlet b;\n\`\`\`\n\nEnd [x][r].\n\n[r]: https://a.example\n`;

  test("comes to the same blocks however it arrives", () => {
    const whole = new Blocks().update(TEXT, false).map((block) => block.raw);
    for (const size of [1, 3, 7, 50]) {
      const parts = new Blocks();
      for (let at = 0; at < TEXT.length; at += size) parts.update(TEXT.slice(0, at), true);
      expect(parts.update(TEXT, false).map((block) => block.raw)).toEqual(whole);
    }
  });

  test("keeps the blocks that are done", () => {
    const blocks = new Blocks();
    const before = blocks.update("one\n\ntwo\n\nthree\n\nfour", true);
    const after = blocks.update("one\n\ntwo\n\nthree\n\nfour and more", true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after.at(-1)?.raw).toBe("four and more");
  });

  test("may start over with other text", () => {
    const blocks = new Blocks();
    blocks.update("one\n\ntwo\n\nthree\n\nfour", true);
    expect(blocks.update("other", true).map((block) => block.raw)).toEqual(["other"]);
  });

  test("does not read long texts again for every word", () => {
    const blocks = new Blocks();
    let text = "";
    const read = vi.spyOn(marked, "lexer");
    for (let n = 0; n < 2000; n++) {
      text += n % 40 === 39 ? "word\n\n" : "word ";
      blocks.update(text, true);
    }
    blocks.update(text, false);
    expect(blocks.blocks).toHaveLength(50);
    const characters = read.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
    // All of it each time would be ten million.
    expect(characters).toBeLessThan(2000 * 600);
  });
});
