import { expect, test } from "vitest";
import { Heights } from "../src/transcript/window";

const keys = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}` }));

test("only what is near the view is drawn", () => {
  const heights = new Heights(30);
  heights.list(keys(10_000));
  const [from, to] = heights.range(150_000, 800, 300);
  expect(to - from).toBeLessThan(60);
  expect(heights.topOf(from)).toBeLessThanOrEqual(150_000 - 300 + 30);
  expect(heights.topOf(to)).toBeGreaterThanOrEqual(150_000 + 800 + 300 - 30);
});

test("measured heights replace guesses and stay when the list changes", () => {
  const heights = new Heights(30);
  heights.list(keys(3));
  expect(heights.measured([["k1", 100]])).toBe(true);
  expect(heights.measured([["k1", 100]])).toBe(false);
  heights.list([{ key: "older" }, ...keys(3)]);
  expect(heights.total).toBe(30 + 30 + 100 + 30);
  expect(heights.topOf(heights.indexOf("k2"))).toBe(160);
});

test("a place is found in the middle, at both ends and beyond", () => {
  const heights = new Heights(10);
  heights.list(keys(5));
  expect([0, 9, 10, 49, 500].map((y) => heights.at(y))).toEqual([0, 0, 1, 4, 4]);
  expect(new Heights(10).range(0, 100, 10)).toEqual([0, 0]);
});
