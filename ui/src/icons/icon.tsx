/** One icon, drawn inline so that it takes the colour of its text. */

import { h } from "preact";
import { type IconName, SHAPES } from "./shapes";

export type { IconName } from "./shapes";

interface IconProps {
  name: IconName;
  small?: boolean;
  class?: string;
}

export function Icon({ name, small, class: extra = "" }: IconProps) {
  const shapes = SHAPES[name] as [string, Record<string, string>][];
  return (
    <svg class={`i ${small ? "i-sm" : ""} ${extra}`} viewBox="0 0 24 24" aria-hidden="true">
      {shapes.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}

/** The product's mark: a ring to clip things to, a place to type. */
export function Mark() {
  return (
    <svg class="brand-mark" width="18" height="18" viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path class="brand-ring" d="M8 6h7.5a10 10 0 0 1 0 20H8" />
      <path class="brand-gate" d="M8 12.4v7.2" />
    </svg>
  );
}
