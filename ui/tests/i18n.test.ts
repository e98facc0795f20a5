import { afterEach, expect, test } from "vitest";
import { localeChoice, t } from "../src/i18n";
import { en } from "../src/i18n/en";
import { ago, count, duration, list, stopwatch } from "../src/i18n/format";
import { zh } from "../src/i18n/zh";

afterEach(() => {
  localeChoice.value = "en";
});

const holes = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test("both languages have every text, with the same holes", () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  for (const [key, words] of Object.entries(en)) {
    const other = zh[key as keyof typeof en];
    expect(other.trim(), key).not.toBe("");
    expect(holes(other), key).toEqual(holes(words));
  }
});

test("Chinese texts use Chinese marks", () => {
  for (const [key, words] of Object.entries(zh)) {
    expect(words, key).not.toMatch(/[\u4e00-\u9fff][,;?!](?!\d)|\.\.\./);
  }
});

test("a number chooses its form", () => {
  localeChoice.value = "en";
  expect(t("group.terminal", { n: 1 })).toBe("1 command");
  expect(t("group.terminal", { n: 1200 })).toBe("1,200 commands");
  localeChoice.value = "zh";
  expect(t("group.terminal", { n: 3 })).toBe("3 条命令");
});

test("times and sizes follow the language", () => {
  localeChoice.value = "en";
  expect([duration(12), duration(800), duration(72_000)]).toEqual(["12ms", "0.8s", "1m 12s"]);
  expect(stopwatch(66_000)).toBe("1:06");
  expect(count(18_400)).toBe("18.4K");
  expect(ago(Date.now())).toBe("now");
  expect(list(["a", "b"])).toBe("a, b");
  localeChoice.value = "zh";
  expect(list(["a", "b"])).toBe("a、b");
  expect(count(18_400)).toBe("1.8万");
});
