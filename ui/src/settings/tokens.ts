/** Sizes as people write them: 128K, 1M, 64000. */

const FACTORS: Record<string, number> = { "": 1, k: 1000, m: 1_000_000 };

export function parseTokens(text: string): number | null {
  const found = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text);
  if (!found) return null;
  return Math.round(Number(found[1]) * (FACTORS[found[2]!.toLowerCase()] ?? 1));
}
