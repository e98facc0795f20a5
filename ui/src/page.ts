/** Registers the page's own parts in its slots, through the door that others use. */

import type { ComponentType } from "preact";
import { ReadOnlyNotice, SessionComposer } from "./composer/composer";
import { SessionMode, SessionModel } from "./composer/chips";
import { Approvals } from "./docks/approvals";
import { QueueDock } from "./docks/queue";
import { Palette } from "./palette/palette";
import { Sheet } from "./palette/sheet";
import { AboutPage } from "./settings/about";
import { GeneralPage } from "./settings/general";
import { ModelsPage } from "./settings/models";
import { SettingsPlace } from "./settings/place";
import { PluginsPage } from "./settings/plugins";
import { ShortcutsPage } from "./settings/shortcuts";
import { DialogHost } from "./shell/dialoghost";
import { Inbox } from "./shell/inbox";
import { FindRow, InboxRow, NewSessionRow } from "./shell/sidebar";
import { Toasts } from "./shell/toasts";
import { Workspaces } from "./shell/workspaces";
import { FALLBACK } from "./slots/registry";
import { type RowProps, slots } from "./slots/slots";
import { DesktopEntryPanel, NoModelPanel, RecentPanel } from "./start/panels";
import { Start } from "./start/start";
import { DiffCardView } from "./transcript/cards/diff";
import { GenericView, ReadView, SearchView } from "./transcript/cards/plain";
import { TerminalView } from "./transcript/cards/terminal";
import { ConversationPlace } from "./transcript/conversation";
import { ContextView, ErrorView, ReasoningView, RetryView } from "./transcript/lines";
import { FootView, NoteView, TextView, UserView } from "./transcript/rows";

export function registerParts(): void {
  slots.sidebarNav.register("new", NewSessionRow, 0);
  slots.sidebarNav.register("inbox", InboxRow, 10);
  slots.sidebarNav.register("find", FindRow, 20);
  slots.sidebarMain.register("workspaces", Workspaces);

  slots.place.register("start", Start);
  slots.place.register("session", ConversationPlace);
  slots.place.register("inbox", Inbox);
  slots.place.register("settings", SettingsPlace);

  slots.heroPanel.register("models", NoModelPanel, 0);
  slots.heroPanel.register("recent", RecentPanel, 10);
  slots.heroPanel.register("desktopEntry", DesktopEntryPanel, 20);

  slots.dock.register("queue", QueueDock, 20);
  slots.dock.register("approvals", Approvals, 30);
  slots.composer.register("readOnly", ReadOnlyNotice, 0, ({ store }) => !!store.readOnly.value);
  slots.composer.register("message", SessionComposer, 100, () => true);
  slots.composerLeft.register("mode", SessionMode, 0);
  slots.composerRight.register("model", SessionModel, 0);

  const rows: Record<string, ComponentType<RowProps>> = {
    user: UserView,
    context: ContextView,
    reasoning: ReasoningView,
    text: TextView,
    retry: RetryView,
    error: ErrorView,
    note: NoteView,
    foot: FootView,
  };
  for (const [kind, view] of Object.entries(rows)) slots.row.register(kind, view);

  slots.card.register("terminal", TerminalView);
  slots.card.register("diff", DiffCardView);
  slots.card.register("read", ReadView);
  slots.card.register("search", SearchView);
  slots.card.register(FALLBACK, GenericView);

  slots.settings.register("general", GeneralPage);
  slots.settings.register("models", ModelsPage);
  slots.settings.register("plugins", PluginsPage);
  slots.settings.register("shortcuts", ShortcutsPage);
  slots.settings.register("about", AboutPage);

  slots.overlay.register("palette", Palette, 0);
  slots.overlay.register("sheet", Sheet, 10);
  slots.overlay.register("dialog", DialogHost, 20);
  slots.overlay.register("toasts", Toasts, 30);
}
