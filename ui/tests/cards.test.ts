import { describe, expect, test } from "vitest";
import { ansiLines, lastLines, lineCount } from "../src/transcript/cards/ansi";
import { diffView } from "../src/transcript/cards/difflines";

const plain = (output: string) => ansiLines(output).map((l) => l.map((s) => s.text).join(""));

describe("output of programs", () => {
  test("keeps colours over line ends", () => {
    const [first, second] = ansiLines("\x1b[31mred\nstill\x1b[0m not");
    expect(first).toEqual([{ text: "red", style: "a-red" }]);
    expect(second).toEqual([
      { text: "still", style: "a-red" },
      { text: " not", style: "" },
    ]);
  });

  test("shows what overwriting leaves", () => {
    expect(plain("10%\r50%\r100%\ndone")).toEqual(["100%", "done"]);
    expect(plain("abc\rX")).toEqual(["Xbc"]);
    expect(plain("ab\bc")).toEqual(["ac"]);
    expect(plain("\x1b[32m10%\r\x1b[32m20%")).toEqual(["20%"]);
  });

  test("drops what is no text", () => {
    expect(plain("\x1b]0;title\x07a\x1b[2Kb\x07c\x1b(B")).toEqual(["abc"]);
    expect(plain("a\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\")).toEqual(["alink"]);
  });

  test("passes over palettes without taking their numbers for styles", () => {
    expect(ansiLines("\x1b[38;5;1mx")[0]).toEqual([{ text: "x", style: "" }]);
    expect(ansiLines("\x1b[38;2;1;31;4;1my")[0]).toEqual([{ text: "y", style: "a-bold" }]);
  });

  test("can be cut to its last lines", () => {
    const output = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");
    expect(plain(lastLines(`${output}\n`, 16))).toHaveLength(16);
    expect(plain(lastLines(output, 16))[15]).toBe("line 39");
    expect(lastLines("short", 16)).toBe("short");
    expect([lineCount(""), lineCount("a"), lineCount("a\n"), lineCount("a\nb")]).toEqual([0, 1, 1, 2]);
  });
});

describe("a diff", () => {
  test("numbers its lines and marks the words that changed", () => {
    const view = diffView({ path: "a", oldText: "a\nsay helo now\nb\n", newText: "a\nsay hello now\nb\nc\n", line: 10 });
    expect(view).toMatchObject({ added: 2, removed: 1 });
    expect(view.lines.map((l) => [l.kind, l.old, l.new])).toEqual([
      ["same", 10, 10],
      ["del", 11, undefined],
      ["add", undefined, 11],
      ["same", 12, 12],
      ["add", undefined, 13],
    ]);
    const marked = view.lines[2]!.words.filter((word) => word.marked);
    expect(marked.map((word) => word.text)).toEqual(["hello"]);
  });

  test("of a new file is all new", () => {
    const view = diffView({ path: "a", oldText: null, newText: "x\ny\n" });
    expect(view.lines.map((line) => line.kind)).toEqual(["add", "add"]);
  });

  test("hides long stretches without a change", () => {
    const many = Array.from({ length: 40 }, (_, n) => `line ${n}`);
    const changed = many.with(20, "other");
    const view = diffView({ path: "a", oldText: many.join("\n"), newText: changed.join("\n") });
    expect(view.lines.filter((l) => l.kind === "gap").map((l) => l.hidden)).toEqual([17, 16]);
  });

  test("of texts without anything in common is not compared for ever", () => {
    const noise = (seed: number) =>
      Array.from({ length: 4000 }, (_, n) => String((n * seed) % 9973)).join("\n");
    expect(diffView({ path: "a", oldText: noise(7), newText: noise(13) }).tooBig).toBe(true);
  });
});
