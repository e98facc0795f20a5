import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../src");

function files(folder: string, end: RegExp): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return files(path, end);
    return end.test(name) ? [path] : [];
  });
}

test("colours stand in the tokens only", () => {
  for (const file of files(SRC, /\.css$/)) {
    if (file.endsWith("tokens.css")) continue;
    const raw = readFileSync(file, "utf8").match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/gi);
    expect(raw ?? [], file).toEqual([]);
  }
});

test("the dark values of the system's choice are those of the chosen one", () => {
  const text = readFileSync(join(SRC, "styles/tokens.css"), "utf8");
  const block = (start: string) => {
    const from = text.indexOf("{", text.indexOf(start)) + 1;
    return text.slice(from, text.indexOf("}", from)).replace(/\s+/g, " ").trim();
  };
  expect(block(":root:not([data-theme])")).toBe(block(':root[data-theme="dark"]'));
});

test("no file is longer than a person reads, and none styles or scripts inline", () => {
  for (const file of files(SRC, /\.(tsx?|css)$/)) {
    if (file.endsWith("wire.gen.ts")) continue;
    const text = readFileSync(file, "utf8");
    expect(text.split("\n").length, file).toBeLessThanOrEqual(500);
    expect(text, file).not.toMatch(/style="|dangerouslySetInnerHTML|innerHTML|\beval\(|localStorage/);
  }
});
