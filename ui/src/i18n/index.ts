/** Words in the person's language, switched live: reading a word subscribes to it. */

import { computed, signal } from "@preact/signals-core";
import { en, type Key } from "./en";
import { zh } from "./zh";

export type { Key } from "./en";
export type Locale = "en" | "zh";
export type LocaleChoice = Locale | "system";
export type Words = Record<string, string | number>;

const TABLES: Record<Locale, Record<Key, string>> = { en, zh };

export const localeChoice = signal<LocaleChoice>("system");

function ofSystem(): Locale {
  return /^zh\b/i.test(globalThis.navigator?.language ?? "") ? "zh" : "en";
}

export const locale = computed<Locale>(() =>
  localeChoice.value === "system" ? ofSystem() : localeChoice.value,
);

/** The tag for `Intl` and for the `lang` attribute. */
export const languageTag = computed(() => (locale.value === "zh" ? "zh-CN" : "en"));

const plurals = computed(() => new Intl.PluralRules(languageTag.value));

/** The text of `key`, with `{names}` filled in; `n` chooses among `one|other`. */
export function t(key: Key, words?: Words): string {
  let text: string = TABLES[locale.value][key] ?? key;
  const n = words?.n;
  if (typeof n === "number" && text.includes("|")) {
    const [one = "", other = one] = text.split("|");
    text = plurals.value.select(n) === "one" ? one : other;
  }
  if (!words) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = words[name];
    if (word === undefined) return whole;
    return typeof word === "number" ? new Intl.NumberFormat(languageTag.value).format(word) : word;
  });
}

/** Whether there is a text for this key, for keys that are made of outside codes. */
export function has(key: string): key is Key {
  return Object.hasOwn(en, key);
}
