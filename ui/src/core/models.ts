/** What providers are to a person. */

import { t } from "../i18n";
import type { Models } from "./host";
import type { ProviderView } from "../wire";

/** The built-in guide: it follows rules and is no language model. */
export function isGuide(provider: ProviderView): boolean {
  return provider.kind === "offline" || provider.id === "offline";
}

/** The provider's name; the guide's is ours to translate. */
export function labelOf(provider: ProviderView): string {
  return isGuide(provider) ? t("hero.guide") : provider.label;
}

/** Whether nothing but the guide would answer. */
export function hasNoModel(models: Models | null): boolean {
  if (!models) return false;
  const { current, providers } = models;
  const provider = providers.find((p) => p.id === current?.provider);
  return !provider || isGuide(provider);
}

export function onThisComputer(provider: { baseUrl?: string | null }): boolean {
  if (!provider.baseUrl) return false;
  try {
    const { hostname } = new URL(provider.baseUrl);
    return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  } catch {
    return false;
  }
}

/** The part of an address that a person tells providers apart by. */
export function hostOf(url: string | null | undefined): string {
  try {
    return url ? new URL(url).host : "";
  } catch {
    return url ?? "";
  }
}
