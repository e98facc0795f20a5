/** Appearance and language on the document itself, live. */

import { effect, signal } from "@preact/signals-core";
import { languageTag, localeChoice, type LocaleChoice, t } from "../i18n";
import type { App } from "../core/app";
import type { Prefs } from "../core/prefs";
import type { BootFacts } from "../core/boot";

export type Theme = "light" | "dark" | "system";

export const theme = signal<Theme>("system");

function isTheme(value: unknown): value is Theme {
  return value === "light" || value === "dark" || value === "system";
}

function isLocale(value: unknown): value is LocaleChoice {
  return value === "en" || value === "zh" || value === "system";
}

/** Start from what the host served, then follow what the person chose. */
export function followPreferences(facts: BootFacts, prefs: Prefs): void {
  theme.value = facts.theme;
  localeChoice.value = facts.locale;
  effect(() => {
    const { theme: chosen, locale } = prefs.state.value;
    if (isTheme(chosen)) theme.value = chosen;
    if (isLocale(locale)) localeChoice.value = locale;
  });
  effect(() => {
    const root = document.documentElement;
    if (theme.value === "system") root.removeAttribute("data-theme");
    else root.dataset.theme = theme.value;
  });
  effect(() => {
    document.documentElement.lang = languageTag.value;
  });
}

/** The window's name: what is open, and how much waits for the person. */
export function nameWindow(app: App): void {
  effect(() => {
    const place = app.nav.place.value;
    const open = place.at === "session" ? app.host.sessions.value.get(place.sessionId) : undefined;
    const waiting = app.host.approvals.value.length;
    const name = open?.title ? `${open.title} · ${t("app.name")}` : t("app.name");
    document.title = waiting ? `(${waiting}) ${name}` : name;
  });
}
