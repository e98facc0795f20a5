/** Finding by a few letters: all words must occur, earlier and at word starts is better. */

export interface Found {
  score: number;
  /** Where the matches are, for marking: start and end. */
  spans: [number, number][];
}

export function find(query: string, text: string): Found | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const low = text.toLowerCase();
  const spans: [number, number][] = [];
  let score = 0;
  for (const word of words) {
    const at = low.indexOf(word);
    if (at < 0) return null;
    const startsWord = at === 0 || !/[\p{L}\p{N}]/u.test(low[at - 1]!);
    score += (startsWord ? 100 : 20) - Math.min(at, 50) / 10;
    spans.push([at, at + word.length]);
  }
  return { score, spans: spans.sort((a, b) => a[0] - b[0]) };
}
