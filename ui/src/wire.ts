/**
 * The shapes that travel between host and page: generated from the host's own models,
 * and narrowed here where the page knows more than a schema says.
 */

import type * as wire from "./wire.gen";

export type {
  Block,
  BootReport,
  BootRow,
  CredentialView,
  DialectView,
  DirectoryEntry,
  DirectoryListing,
  FileDiff,
  FileMatches,
  HostDescription,
  LiveState,
  LlmFailure,
  LocalServer,
  Match,
  Message,
  ModelRoute,
  ModelView,
  ProviderView,
  QueueItem,
  QueueState,
  SessionSnapshot,
  SettingsFault,
  StreamChunk,
  TestStep,
  ToolResultBlock,
  TurnEndReason,
  Usage,
  Workspace,
} from "./wire.gen";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Mode = "read-only" | "workspace-write" | "danger-full-access";
export type Source = wire.Message["source"];

/** A card as it arrives: its kind is always told. */
type Told<C extends { kind?: string }> = Omit<C, "kind"> & { kind: NonNullable<C["kind"]> };
export type GenericCard = Told<wire.GenericCard>;
export type TerminalCard = Told<wire.TerminalCard>;
export type DiffCard = Told<wire.DiffCard>;
export type SearchCard = Told<wire.SearchCard>;
export type ReadCard = Told<wire.ReadCard>;
export type AnyCard = GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard;

/** Event types of later versions and of plugins pass by unread. */
export interface EventData extends Omit<wire.EventData, "compaction/summary"> {
  "compaction/summary": { summary: wire.Block[] };
}
export type EventType = keyof EventData;
export type SessionEvent = wire.SessionEvent;

export type SessionSummary = wire.SessionSummary;

/** What an approval card shows; askers may add more. */
export interface Shown {
  title?: string;
  command?: string;
  path?: string;
  cwd?: string;
  mode?: string;
  justification?: string;
  [key: string]: Json | undefined;
}
export type PendingApproval = Omit<wire.PendingApproval, "shown"> & { shown: Shown };

export interface HostSnapshot {
  epoch: string;
  seq: number;
  sessions: SessionSummary[];
  workspaces: wire.Workspace[];
  approvals: PendingApproval[];
  /** A folder that the program was started with, told once. */
  openFolder?: string | null;
}
export interface Frame {
  topic: string;
  seq?: number;
  type: string;
  data: unknown;
}
export interface Notice {
  level: "info" | "warning" | "error";
  message: string;
  remedy?: string | null;
}
