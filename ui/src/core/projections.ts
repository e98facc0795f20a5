/** Views that the host keeps of a session, as far as the page shows them. */

import type { Json } from "../wire";

function numberIn(value: Json | undefined, ...names: string[]): number | undefined {
  if (!value || typeof value !== "object" || Array.isArray(value)) return undefined;
  for (const name of names) {
    const found = value[name];
    if (typeof found === "number") return found;
  }
  return undefined;
}

/** How full the model's window is, when the host knows both sides. */
export function contextUse(
  projections: Record<string, Json>,
): { used: number; all: number } | null {
  const pressure = projections.contextPressure;
  const used = numberIn(pressure, "projectedTokens", "pressureTokens");
  const all = numberIn(pressure, "contextWindow");
  return used !== undefined && all ? { used, all } : null;
}
