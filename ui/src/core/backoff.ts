/** Waits between attempts: 0.5 s doubling to 10 s, with jitter so that windows spread. */

const FIRST_MS = 500;
const MOST_MS = 10_000;

export function delayOf(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(MOST_MS, FIRST_MS * 2 ** attempt);
  return Math.max(FIRST_MS, Math.round(full * (0.5 + random() / 2)));
}
