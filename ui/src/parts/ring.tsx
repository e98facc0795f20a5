/** A share of one as a small ring. */

import { locale } from "../i18n";

const AROUND = 2 * Math.PI * 6.2;

export function Ring({ share }: { share: number }) {
  const held = Math.max(0, Math.min(1, share));
  const level = held > 0.95 ? "full" : held > 0.8 ? "near" : "";
  const words = new Intl.NumberFormat(locale.value, { style: "percent" }).format(held);
  return (
    <svg class={`ring ${level}`} viewBox="0 0 16 16" role="img" aria-label={words}>
      <circle class="t" cx="8" cy="8" r="6.2" />
      <circle class="v" cx="8" cy="8" r="6.2" stroke-dasharray={`${held * AROUND} ${AROUND}`} />
    </svg>
  );
}
