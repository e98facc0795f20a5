/** The pages of the settings, in the order of their navigation. */

import type { IconName } from "../icons/shapes";
import { type Key, t } from "../i18n";

export interface PageEntry {
  id: string;
  title: Key;
  icon: IconName;
  group: "app" | "agents" | "system";
}

export const settingsPages: PageEntry[] = [
  { id: "general", title: "settings.general", icon: "sliders-horizontal", group: "app" },
  { id: "shortcuts", title: "settings.shortcuts", icon: "keyboard", group: "app" },
  { id: "models", title: "settings.models", icon: "cpu", group: "agents" },
  { id: "plugins", title: "settings.plugins", icon: "plug", group: "system" },
  { id: "about", title: "settings.about", icon: "info", group: "system" },
];

export function settingsTitle(id: string): string {
  const page = settingsPages.find((entry) => entry.id === id);
  return t(page?.title ?? "settings.title");
}
