/** The shapes that travel between host and page. */

export type Mode = "read-only" | "workspace-write" | "danger-full-access";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

// -- cards ---------------------------------------------------------------------------

interface CardBase {
  title: string;
  description?: string | null;
  locations?: string[];
}
export interface GenericCard extends CardBase {
  kind: "generic";
  text?: string | null;
  icon?: "read" | "edit" | "search" | "execute" | "other";
}
export interface TerminalCard extends CardBase {
  kind: "terminal";
  cwd?: string | null;
  output?: string | null;
  exitCode?: number | null;
  signal?: string | null;
  seconds?: number | null;
  denied?: string | null;
  sandbox?: string | null;
  truncated?: string | null;
}
export interface FileDiff {
  path: string;
  oldText: string | null;
  newText: string;
  line?: number;
}
export interface DiffCard extends CardBase {
  kind: "diff";
  diffs: FileDiff[];
}
export interface Match {
  line: number;
  text: string;
}
export interface FileMatches {
  path: string;
  matches: Match[];
}
export interface SearchCard extends CardBase {
  kind: "search";
  files?: FileMatches[];
  paths?: string[];
  total?: number;
  truncated?: boolean;
}
export interface ReadCard extends CardBase {
  kind: "read";
  path: string;
  lines?: Match[];
  totalLines?: number;
  lang?: string | null;
}
export type AnyCard = GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard;

// -- messages and chunks -------------------------------------------------------------

export interface TextBlock {
  type: "text";
  text: string;
}
export interface ReasoningBlock {
  type: "reasoning";
  text: string;
}
export interface ToolCallBlock {
  type: "tool-call";
  id: string;
  name: string;
  arguments: string;
}
export interface ToolResultBlock {
  type: "tool-result";
  toolCallId: string;
  content: TextBlock[];
  isError?: boolean;
}
export type Block = TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock;

export type Source =
  | { kind: "user" }
  | { kind: "model"; provider: string; model: string }
  | { kind: "tool"; callId: string }
  | {
      kind: "plugin";
      plugin: string;
      form?: "instructions" | "snapshot" | "notice";
      summary?: string;
      sections?: Record<string, string>;
    };

export interface Message {
  id: string;
  role: "user" | "assistant";
  content: Block[];
  source: Source;
}
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}
export interface LlmFailure {
  message: string;
  code: string;
  status?: number;
  providerRetryAfterMs?: number;
  requestId?: string;
}
export type StreamChunk =
  | { type: "block-start"; index: number; blockType: "text" | "reasoning" | "tool-call" }
  | { type: "text-delta"; index: number; text: string }
  | { type: "reasoning-delta"; index: number; text: string }
  | { type: "tool-call-delta"; index: number; id: string; argumentsDelta: string; name?: string }
  | { type: "block-end"; index: number; block: TextBlock | ReasoningBlock | ToolCallBlock }
  | { type: "usage"; usage: Usage }
  | { type: "finish"; reason: string; failure?: LlmFailure };

// -- session events ------------------------------------------------------------------

export interface TurnEndReason {
  kind: "completed" | "aborted" | "blocked" | "error" | "max-tokens" | "interrupted";
  reason?: { kind: string; reason?: string };
  error?: LlmFailure;
}

/** The data of the event types that the page reads; others pass by untyped. */
export interface EventData {
  "turn/start": { turn: number };
  "turn/end": { turn: number; reason: TurnEndReason };
  "step/start": { turn: number; step: number };
  "step/end": { turn: number; step: number };
  "user/message": Message;
  "assistant/chunk": { turn: number; step: number; chunk: StreamChunk };
  "assistant/message": {
    turn: number;
    step: number;
    message: Message;
    usage?: Usage;
    interrupted?: boolean;
  };
  "tool/call": { turn: number; step: number; callId: string; name: string; arguments: string };
  "tool/result": {
    turn: number;
    step: number;
    message: Message;
    error?: { name: string; code: string };
    meta?: Record<string, Json>;
  };
  "llm/retry": {
    retryId: string;
    turn: number;
    step: number;
    provider: string;
    mode: "normal" | "always";
    retry: number;
    maxRetries?: number;
    delayMs: number;
    failure: LlmFailure;
  };
  "llm/retry-started": { retryId: string; turn: number; step: number; retry: number };
  "approval/asked": { id: string; toolName: string; callId?: string; reason?: string };
  "approval/decided": { id: string; outcome: ApprovalOutcome; reason?: string };
  "sandbox/mode": { mode: Mode };
  "session/title": { title: string };
  "request/context": { provider: string; model: string; contextWindow?: number };
  "compaction/summary": { summary: Block[]; shadowedTokenCount?: number };
}
export type EventType = keyof EventData;

export interface SessionEvent {
  seq: number;
  type: string;
  time: number;
  data: unknown;
  surfaceOp?: { op: "append" | "replace"; start?: number | null; end?: number | null } | null;
  sourceEventSeqs?: number[];
  card?: AnyCard;
}

// -- sessions, workspaces, approvals ---------------------------------------------------

export interface ModelRoute {
  provider: string;
  model: string;
  effort?: string;
}
export interface SessionSummary {
  sessionId: string;
  title: string | null;
  workspaceId: string | null;
  cwd: string;
  updated: number;
  created: number;
  status: "idle" | "running" | "waiting" | "failed";
  unseen: boolean;
  blank: boolean;
  preset: string | null;
  mode: Mode;
  model: ModelRoute | null;
  readOnly: string | null;
}
export interface Workspace {
  workspaceId: string;
  path: string;
  title: string;
  missing: boolean;
  order: number;
}
export interface Shown {
  title?: string;
  command?: string;
  path?: string;
  cwd?: string;
  mode?: string;
  justification?: string;
  [key: string]: Json | undefined;
}
export type ApprovalOutcome = "allowed-once" | "rejected" | "cancelled" | "unavailable";
export interface PendingApproval {
  approvalId: string;
  sessionId: string;
  callId?: string | null;
  tool: string;
  shown: Shown;
  hash: string;
  reason?: string | null;
  askedAt: number;
  risk: "low" | "medium" | "high";
}
export interface QueueItem {
  id: string;
  text: string;
}
export interface QueueState {
  nextTurn: QueueItem[];
  nextStep: QueueItem[];
}
export interface HostSnapshot {
  epoch: string;
  seq: number;
  sessions: SessionSummary[];
  workspaces: Workspace[];
  approvals: PendingApproval[];
}
export interface LiveState {
  status: "idle" | "running";
  turn?: number | null;
  step?: number | null;
}
export interface SessionSnapshot {
  session: SessionSummary;
  lastSeq: number;
  events: SessionEvent[];
  firstSeq: number;
  hasMore: boolean;
  queue: QueueState;
  live: LiveState;
  projections: Record<string, Json>;
  readOnly: string | null;
}
export interface Frame {
  topic: string;
  seq?: number;
  type: string;
  data: unknown;
}

// -- models ----------------------------------------------------------------------------

export interface ModelView {
  id: string;
  name: string;
  contextWindow?: number | null;
  efforts: string[];
}
export interface CredentialView {
  ref: string;
  configured: boolean;
  source?: string | null;
  writable: boolean;
}
export interface ProviderView {
  id: string;
  label: string;
  kind: string;
  dialect: string;
  baseUrl?: string | null;
  models: ModelView[];
  error?: { code: string; message: string } | null;
  credential?: CredentialView | null;
  origin: "settings" | "environment" | "builtin" | "discovered";
  editable: boolean;
}
export interface LocalServer {
  label: string;
  baseUrl: string;
  dialect: string;
  models: string[];
}
export interface TestStep {
  name: string;
  ok: boolean;
  message?: string | null;
  ms?: number | null;
}

// -- host and boot ---------------------------------------------------------------------

export interface HostDescription {
  version: string;
  home: string;
  pid: number;
  platform: string;
  native: boolean;
  sandbox: { mechanism: string; level: string; gaps: string[]; network: boolean };
  defaultMode: Mode;
  credentialStore: "keyring" | "file";
  desktopEntry: "installed" | "absent" | "unsupported";
}
export interface DirectoryEntry {
  name: string;
  path: string;
  hidden: boolean;
}
export interface DirectoryListing {
  path: string;
  parent: string | null;
  home: string;
  entries: DirectoryEntry[];
  truncated: boolean;
}
export interface BootRow {
  id: string;
  plugin: string;
  phase: string;
  required: boolean;
  origin: string;
  error?: { code: string; message: string; log?: string | null } | null;
  missing: Record<string, string>;
  seconds: number;
  disabled: boolean;
  folder?: string | null;
}
export interface BootReport {
  safeMode: boolean;
  profile: string;
  home: string;
  rows: BootRow[];
  warnings: { layer: string; message: string }[];
  problems?: unknown;
}
export interface Notice {
  level: "info" | "warning" | "error";
  message: string;
  remedy?: string | null;
}
export interface SettingsNamespace {
  namespace: string;
  value: Record<string, Json>;
  schema: Record<string, Json>;
  revision: string | number;
}
