/** The caps of a chord. */

import { caps } from "../keys/chord";

export function Keys({ chord }: { chord: string | undefined }) {
  if (!chord) return null;
  return (
    <span class="keys" aria-hidden="true">
      {caps(chord).map((cap) => (
        <kbd class="kbd" key={cap}>
          {cap}
        </kbd>
      ))}
    </span>
  );
}
