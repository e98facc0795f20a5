/** Numbers and times through `Intl`, in the current language. */

import { languageTag, locale, t } from "./index";

const DAY = 86_400_000;

/** Making a formatter takes longer than using it, and lists use one for every row. */
const known = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function kept<F extends Intl.NumberFormat | Intl.DateTimeFormat>(
  kind: new (tag: string, options: object) => F,
  options: object,
): F {
  const tag = languageTag.value;
  const key = `${kind.name} ${tag} ${JSON.stringify(options)}`;
  const formatter = (known.get(key) as F | undefined) ?? new kind(tag, options);
  known.set(key, formatter);
  return formatter;
}

function number(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(Intl.NumberFormat, options);
}

function unit(value: number, name: string, digits = 0, display: "narrow" | "short" = "short"): string {
  return number({
    style: "unit",
    unit: name,
    unitDisplay: display,
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  }).format(value);
}

/** A length of time: 0.8 s, 12 s, 1 m 12 s, 2 h 5 m. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (ms < 100) return unit(Math.round(ms), "millisecond", 0, "narrow");
  if (seconds < 10) return unit(seconds, "second", 1, "narrow");
  if (seconds < 60) return unit(Math.round(seconds), "second", 0, "narrow");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    const rest = Math.round(seconds - minutes * 60);
    return `${unit(minutes, "minute", 0, "narrow")} ${unit(rest, "second", 0, "narrow")}`;
  }
  const hours = Math.floor(minutes / 60);
  return `${unit(hours, "hour", 0, "narrow")} ${unit(minutes % 60, "minute", 0, "narrow")}`;
}

/** Minutes and seconds of something that still runs: 0:06, 12:40. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** How long ago, as short as it can be said. */
export function ago(time: number, now = Date.now()): string {
  const past = now - time;
  if (past < 60_000) return t("time.now");
  if (past < 3_600_000) return unit(Math.floor(past / 60_000), "minute");
  if (past < DAY) return unit(Math.floor(past / 3_600_000), "hour");
  const date = new Date(time);
  if (past < 6 * DAY) return format(date, { weekday: "short" });
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: "numeric" as const };
  return format(date, { month: "short", day: "numeric", ...year });
}

export function clock(time: number): string {
  return format(new Date(time), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

export function moment(time: number): string {
  return format(new Date(time), { dateStyle: "medium", timeStyle: "medium" });
}

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  return kept(Intl.DateTimeFormat, options).format(date);
}

/** A count, shortened: 950, 18.4k, 1.2m. */
export function count(value: number): string {
  if (value < 1000) return number({}).format(value);
  return number({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

export function whole(value: number): string {
  return number({ maximumFractionDigits: 0 }).format(value);
}

export function list(words: string[]): string {
  // The unit style of Chinese sets no mark between Latin names.
  if (locale.value === "zh") return words.join("、");
  return new Intl.ListFormat(languageTag.value, { type: "unit" }).format(words);
}
