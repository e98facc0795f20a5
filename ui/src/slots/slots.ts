/** The places that the page has. Their names are part of its face to plugins. */

import type { Row } from "../core/rows";
import type { SessionStore } from "../core/session";
import type { AnyCard, PendingApproval } from "../wire";
import { ChainSlot, KeyedSlot, ListSlot, SingleSlot } from "./registry";

export interface SessionProps {
  store: SessionStore;
}
export interface RowProps<R extends Row = Row> {
  row: R;
  store: SessionStore;
}
export interface CardProps {
  card: AnyCard;
  row: Extract<Row, { kind: "tool" }>;
  store: SessionStore;
}
export interface ApprovalProps {
  approval: PendingApproval;
  waiting: number;
}
export interface SettingsPage {
  id: string;
}
type None = Record<string, never>;

export const slots = {
  /** Title row: between the crumb and the palette button. */
  barAction: new ListSlot<None>("bar.action"),
  sidebarNav: new ListSlot<None>("sidebar.nav"),
  sidebarMain: new SingleSlot<None>("sidebar.main"),
  sidebarFoot: new ListSlot<None>("sidebar.foot"),
  statusItem: new ListSlot<None>("status.item"),
  heroPanel: new ListSlot<None>("hero.panel"),
  place: new KeyedSlot<None>("place"),
  row: new KeyedSlot<RowProps>("transcript.row"),
  card: new KeyedSlot<CardProps>("transcript.card"),
  dock: new ListSlot<SessionProps>("session.dock"),
  composer: new ChainSlot<SessionProps>("session.composer"),
  composerLeft: new ListSlot<SessionProps>("composer.left"),
  composerRight: new ListSlot<SessionProps>("composer.right"),
  settings: new KeyedSlot<SettingsPage>("settings.page"),
  overlay: new ListSlot<None>("overlay"),
};
