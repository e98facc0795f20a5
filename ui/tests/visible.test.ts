import { expect, test } from "vitest";
import { visible } from "../src/docks/visible";

test.each([
  ["echo \u202egnihton", "echo \\u202egnihton"],
  ["ec\u200bho", "ec\\u200bho"],
  ["rm -rf x\recho safe", "rm -rf x\\recho safe"],
  ["\x1b[8mhidden", "\\x1b[8mhidden"],
  ["a\tb", "a\\tb"],
  ["a\u00a0b", "a\\xa0b"],
  ["a\u3164b", "a\\u3164b"],
  ["a\ufe0fb", "a\\ufe0fb"],
  ["a\u{e0041}b", "a\\u{e0041}b"],
  ["\ud800", "\\ud800"],
  ["a\u2028b", "a\\u2028b"],
])("%j is shown as %s", (raw, shown) => {
  const seen = visible(raw);
  expect(seen.text).toBe(shown);
  expect(seen.hidden).toBe(1);
});

test("plain text in any script stays as it is", () => {
  for (const raw of ["ls -la | wc", "echo 你好，世界", "printf 'ä ö ü'", "echo 🎉", "a\nb"]) {
    expect(visible(raw)).toMatchObject({ text: raw, hidden: 0, mixed: false });
  }
});

test("three thousand spaces cannot push the tail out of sight", () => {
  const seen = visible(`ls${" ".repeat(3000)}; rm x`);
  expect(seen.text).toBe("ls[3000 × U+0020]; rm x");
  expect(seen.longSpaces).toBe(true);
});

test("a word of two scripts is marked, words of one are not", () => {
  const seen = visible("cat p\u0430yload привет");
  expect(seen.pieces.filter((piece) => piece.kind === "mixed").map((p) => p.text)).toEqual([
    "p\u0430yload",
  ]);
});

test("every line is counted", () => {
  expect(visible("a\nb\nc").lines).toBe(3);
});
