// Generated from the Python models by `python3 dev.py types`; do not edit.

/** Where requests would go; nothing is sent. */
export interface AddressPreview {
  baseUrl: string;
  dialect?: string;
}

/** The final address, and whether it is on this computer. */
export interface AddressPreviewed {
  address: string;
  loopback: boolean;
}

export type AnyCard = GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard;

/** What the person chose; ``hash`` is that of the question as it was shown. */
export interface ApprovalAnswer {
  approvalId: string;
  hash: string;
  outcome: "allowed-once" | "rejected";
  reason?: string | null;
}

/** What was taken down. */
export interface ApprovalAnswered {
  outcome: "allowed-once" | "rejected";
}

export type Block = TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock;

/** A block is complete; ``block`` is the whole of it. */
export interface BlockEnd {
  type: "block-end";
  index: number;
  block: TextBlock | ReasoningBlock | ToolCallBlock;
}

/** A block begins. */
export interface BlockStart {
  type: "block-start";
  index: number;
  blockType: "text" | "reasoning" | "tool-call";
}

/** Why a row failed. */
export interface BootError {
  code: string;
  message: string;
  remedy?: string | null;
}

/** The whole boot. */
export interface BootReport {
  safeMode: boolean;
  profile: string;
  home: string;
  rows: BootRow[];
  warnings: LayerWarning[];
}

/** One row of the composition and what became of it. */
export interface BootRow {
  id: string;
  plugin: string;
  phase: string;
  required: boolean;
  disabled: boolean;
  origin: Record<string, string>;
  error: BootError | null;
  missing: Record<string, string>;
  seconds: number;
  folder: string | null;
}

/** Why something was aborted. */
export interface Cause {
  kind: "user" | "parent" | "hook" | "disposed";
  reason?: string;
}

/** What the person chose; null for nothing. */
export interface ChosenPath {
  path: string | null;
}

/** In which workspace, and of which preset. */
export interface CreateSession {
  workspaceId: string;
  preset?: string | null;
}

/** Which folder. */
export interface CreateWorkspace {
  path: string;
}

/** Ask for a secret in a native dialog; ``label`` says what it is for. */
export interface CredentialPrompt {
  ref: string;
  label: string;
}

/** One secret. */
export interface CredentialRef {
  ref: string;
}

/** Which secrets to describe. */
export interface CredentialRefs {
  refs: string[];
}

/** Whether there is a secret now. */
export interface CredentialState {
  configured: boolean;
}

/** A secret typed into the page. */
export interface CredentialValue {
  ref: string;
  value: string;
}

/** What clients may see of one secret. */
export interface CredentialView {
  ref: string;
  configured: boolean;
  source?: "environment" | "keyring" | "file" | null;
  writable: boolean;
}

/** The secrets asked for, and where new ones go. */
export interface CredentialsDescription {
  credentials: CredentialView[];
  store: "keyring" | "file";
}

/** Where to go on in the list. */
export interface Cursor {
  cursor?: string | null;
  limit?: number;
}

/** A kind of server that can be added. */
export interface DialectView {
  name: string;
  label: string;
  baseUrl?: string | null;
  credentialRef?: string | null;
}

/** Changed files, in hunks. */
export interface DiffCard {
  title: string;
  description?: string | null;
  locations?: string[];
  kind?: "diff";
  diffs: FileDiff[];
}

/** A folder in a folder. */
export interface DirectoryEntry {
  name: string;
  path: string;
  hidden: boolean;
}

/** One level of folders, for choosing one without a native dialog. */
export interface DirectoryListing {
  path: string;
  parent: string | null;
  home: string;
  entries: DirectoryEntry[];
  truncated: boolean;
}

/** A request or response without fields. */
export type Empty = Record<string, never>;

/** The applications menu has an entry now. */
export interface EntryInstalled {
  installed: boolean;
  path: string;
}

/** Everything of a request that is not messages. */
export interface EpochHeader {
  config: RequestConfig;
  system?: string;
  tools?: ToolSchema[];
}

/** An error that a program can route on. */
export interface ErrorFact {
  name: string;
  code: string;
}

/** One changed file; ``oldText`` is null for a new one. */
export interface FileDiff {
  path: string;
  oldText: string | null;
  newText: string;
  line?: number;
}

/** The matches of one file. */
export interface FileMatches {
  path: string;
  matches: Match[];
}

/** The end; nothing follows. ``failure`` is present for error and aborted. */
export interface Finish {
  type: "finish";
  reason: "stop" | "tool-calls" | "max-tokens" | "aborted" | "error";
  failure?: LlmFailure;
}

/** Anything without a better form. */
export interface GenericCard {
  title: string;
  description?: string | null;
  locations?: string[];
  kind?: "generic";
  text?: string | null;
  icon?: "read" | "edit" | "search" | "execute" | "other";
}

/** A window of events; chunks of complete answers are left out. */
export interface History {
  events: SessionEvent[];
  firstSeq: number;
  hasMore: boolean;
}

/** Events before a seq. */
export interface HistoryRequest {
  sessionId: string;
  beforeSeq: number;
  limit?: number;
}

/** What the host is and what this machine can do. */
export interface HostDescription {
  version: string;
  home: string;
  pid: number;
  platform: string;
  native: boolean;
  sandbox: SandboxView | null;
  defaultMode: string;
  credentialStore: string | null;
  desktopEntry: string;
}

export type JsonValue = unknown;

/** Something in a layer that had no effect. */
export interface LayerWarning {
  layer: string;
  message: string;
}

/** Where a running agent is. */
export interface LiveState {
  status: "idle" | "running";
  turn?: number | null;
  step?: number | null;
}

/** Why a model request failed. ``code`` is one of `dsh.seams.llm.FAILURE_CODES`. */
export interface LlmFailure {
  message: string;
  code: string;
  status?: number;
  providerRetryAfterMs?: number;
  requestId?: string;
}

/** A server that answered with a list of models. */
export interface LocalServer {
  label: string;
  baseUrl: string;
  dialect: string;
  models: string[];
}

/** All that answered, in the order in which they were asked. */
export interface LocalServers {
  servers: LocalServer[];
}

/** One line that matched. */
export interface Match {
  line: number;
  text: string;
}

/** A path, or where the person is at home. */
export interface MaybePath {
  path?: string | null;
}

/** One message of a conversation. Tool results travel in messages of role user. */
export interface Message {
  id: string;
  role: "user" | "assistant";
  content: (TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock)[];
  source: UserSource | ModelSource | ToolSource | PluginSource;
}

/** A route: provider, model, effort. */
export interface ModelChoice {
  provider: string;
  model: string;
  effort?: string | null;
}

/** Ask a server that is not saved yet for its models. */
export interface ModelDiscover {
  baseUrl: string;
  dialect?: string;
  credentialRef?: string | null;
}

/** Its models, and the address that requests would go to. */
export interface ModelDiscovered {
  models: ModelView[];
  address: string;
}

/** All providers, the default in force, and the kinds of servers. */
export interface ModelList {
  providers: ProviderView[];
  current: ModelChoice;
  dialects: DialectView[];
}

/** Which model answers. */
export interface ModelRoute {
  provider: string;
  model: string;
  effort?: string | null;
}

/** A model wrote it. */
export interface ModelSource {
  kind: "model";
  provider: string;
  model: string;
}

/** Which provider, and which of its models. */
export interface ModelTest {
  providerId: string;
  model?: string | null;
}

/** The steps in order; those that were not reached are left out. */
export interface ModelTested {
  steps: TestStep[];
}

/** A model that can be chosen. */
export interface ModelView {
  id: string;
  name: string;
  contextWindow?: number | null;
  efforts: string[];
}

/** A path on this machine. */
export interface OnePath {
  path: string;
}

/** A web address. */
export interface OneUrl {
  url: string;
}

/** Somebody started the program again with a folder to open. */
export interface OpenFolder {
  path: string;
}

/** Whether the desktop could show it. */
export interface Opened {
  opened: boolean;
}

/** Live text of a running call. */
export interface Output {
  callId: string;
  stream: string;
  text: string;
}

/** A question that waits. ``shown`` is all of it; ``hash`` ties the answer to it. */
export interface PendingApproval {
  approvalId: string;
  sessionId: string;
  callId?: string | null;
  tool: string;
  shown: Record<string, unknown>;
  hash: string;
  reason?: string | null;
  askedAt: number;
  risk: "low" | "medium" | "high";
}

/** All questions that wait, oldest first. */
export interface PendingApprovals {
  approvals: PendingApproval[];
}

/** A plugin put it in; ``form`` tells the screen how to show it. */
export interface PluginSource {
  kind: "plugin";
  plugin: string;
  form?: "instructions" | "snapshot" | "notice";
  summary?: string;
  sections?: Record<string, string>;
}

/** What the person wrote; ``steer`` joins the running turn. */
export interface Prompt {
  sessionId: string;
  text: string;
  mode?: "queue" | "steer";
  clientId?: string | null;
}

/** The id of the message. */
export interface Prompted {
  messageId: string;
}

/** Why a provider cannot be used as it is. */
export interface ProviderFault {
  code: string;
  message: string;
}

/** One configured server. */
export interface ProviderId {
  id: string;
}

/** Add or replace a server. ``confirm_credential`` allows its key to be sent to this address, when it was entered for another one. */
export interface ProviderSave {
  id: string;
  label: string;
  dialect: string;
  baseUrl: string;
  models?: string[];
  contextWindow?: number | null;
  credentialRef?: string | null;
  confirmCredential?: boolean;
}

/** A provider, its models, and where it comes from. ``base_url`` is what was entered, ``address`` what requests go to. */
export interface ProviderView {
  id: string;
  label: string;
  kind: "remote" | "local" | "offline";
  dialect: string;
  baseUrl?: string | null;
  address?: string | null;
  models: ModelView[];
  error?: ProviderFault | null;
  credential?: CredentialView | null;
  origin: "settings" | "environment" | "builtin" | "discovered";
  editable: boolean;
}

/** A message that waits. */
export interface QueueItem {
  id: string;
  text: string;
}

/** What waits for a turn of its own, and what for the next step. */
export interface QueueState {
  nextTurn: QueueItem[];
  nextStep: QueueItem[];
}

/** A window of a text file. */
export interface ReadCard {
  title: string;
  description?: string | null;
  locations?: string[];
  kind?: "read";
  path: string;
  lines?: Match[];
  totalLines?: number;
  lang?: string | null;
}

/** What a model thought before it answered. */
export interface ReasoningBlock {
  type: "reasoning";
  text: string;
}

/** More reasoning. */
export interface ReasoningDelta {
  type: "reasoning-delta";
  index: number;
  text: string;
}

/** Which registration to forget. */
export interface RemoveWorkspace {
  workspaceId: string;
}

/** A session is gone from the list. */
export interface Removed {
  sessionId: string;
}

/** A new title; the person's own word holds. */
export interface RenameSession {
  sessionId: string;
  title: string;
}

/** The title to show from now on; blank for the folder's own name. */
export interface RenameWorkspace {
  workspaceId: string;
  title: string;
}

/** The new order; those left out come after. */
export interface ReorderWorkspaces {
  workspaceIds: string[];
}

/** The route and settings of a request. */
export interface RequestConfig {
  provider: string;
  model: string;
  reasoningEffort?: string;
  temperature?: number;
  maxTokens?: number;
  stop?: string[];
}

/** Which row. */
export interface RowId {
  id: string;
}

/** What confines commands here, as it was found by really running it. */
export interface SandboxView {
  mechanism: string;
  level: string;
  gaps: string[];
  network: boolean;
}

/** Matches in files, or paths. */
export interface SearchCard {
  title: string;
  description?: string | null;
  locations?: string[];
  kind?: "search";
  files?: FileMatches[];
  paths?: string[];
  total?: number;
  truncated?: boolean;
}

/** Another model, from the next request on; also the default of new sessions. */
export interface SelectModel {
  sessionId: string;
  provider: string;
  model: string;
  effort?: string | null;
}

/** A durable event, with the card of a tool call or result. */
export interface SessionEvent {
  seq: number;
  type: string;
  time: number;
  data: Record<string, unknown>;
  surfaceOp?: SurfaceOpView | null;
  sourceEventSeqs?: number[] | null;
  card?: GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard | null;
}

/** Which session. */
export interface SessionId {
  sessionId: string;
}

/** A part of the list, newest first. */
export interface SessionList {
  sessions: SessionSummary[];
  cursor: string | null;
}

/** All that a page needs to show a session from nothing. */
export interface SessionSnapshot {
  session: SessionSummary;
  lastSeq: number;
  events: SessionEvent[];
  firstSeq: number;
  hasMore: boolean;
  queue: QueueState;
  live: LiveState;
  projections: Record<string, unknown>;
  readOnly: string | null;
  notice?: string | null;
}

/** A session in a list. */
export interface SessionSummary {
  sessionId: string;
  title: string | null;
  workspaceId: string | null;
  cwd: string;
  created: number;
  updated: number;
  status: "idle" | "running" | "waiting" | "failed";
  unseen: boolean;
  blank: boolean;
  preset: string | null;
  mode: string;
  model: ModelRoute | null;
  readOnly: string | null;
}

/** Another permission preset. */
export interface SetMode {
  sessionId: string;
  mode: "read-only" | "workspace-write" | "danger-full-access";
}

/** All sections, and what is wrong with the file. */
export interface SettingsDescription {
  namespaces: SettingsNamespace[];
  problems: SettingsFault[];
}

/** Something wrong with the stored file. The namespace is empty for all of it. */
export interface SettingsFault {
  namespace: string;
  message: string;
  line?: number | null;
}

/** One section: the value in force, the schema of its form, a mark for updates. */
export interface SettingsNamespace {
  namespace: string;
  value: Record<string, JsonValue>;
  schema: Record<string, JsonValue>;
  revision: string;
}

/** A merge patch for one section; ``null`` resets a key. */
export interface SettingsUpdate {
  namespace: string;
  patch: Record<string, JsonValue>;
  revision?: string | null;
}

/** The section after the change. */
export interface SettingsUpdated {
  value: Record<string, JsonValue>;
  revision: string;
}

export type StreamChunk = BlockStart | TextDelta | ReasoningDelta | ToolCallDelta | BlockEnd | UsageChunk | Finish;

/** See `dsh.data.events.SurfaceOp`. */
export interface SurfaceOpView {
  op: "append" | "replace";
  start?: number | null;
  end?: number | null;
}

/** A command and its output. */
export interface TerminalCard {
  title: string;
  description?: string | null;
  locations?: string[];
  kind?: "terminal";
  cwd?: string | null;
  output?: string | null;
  exitCode?: number | null;
  signal?: string | null;
  seconds?: number | null;
  denied?: string | null;
  sandbox?: string | null;
  truncated?: string | null;
}

/** One step of a test; the first that is not ok says what to mend. */
export interface TestStep {
  name: "address" | "key" | "connection" | "models" | "answer";
  ok: boolean;
  message?: string | null;
  ms?: number | null;
}

/** Visible text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** More visible text. */
export interface TextDelta {
  type: "text-delta";
  index: number;
  text: string;
}

/** The title of a dialog. */
export interface Title {
  title?: string;
}

/** Who gave the title. */
export interface TitleSource {
  kind: "fallback" | "provider" | "user";
  provider?: string;
  model?: string;
}

/** A request to run a tool; ``arguments`` is the raw JSON text of the model. */
export interface ToolCallBlock {
  type: "tool-call";
  id: string;
  name: string;
  arguments: string;
}

/** More of a tool call; id and name come with its first piece. */
export interface ToolCallDelta {
  type: "tool-call-delta";
  index: number;
  id: string;
  argumentsDelta: string;
  name?: string;
}

/** What a tool call gave back. */
export interface ToolResultBlock {
  type: "tool-result";
  toolCallId: string;
  content: TextBlock[];
  isError?: boolean;
}

/** A tool as the model sees it. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** A tool call produced it. */
export interface ToolSource {
  kind: "tool";
  callId: string;
}

/** How a turn ended; ``interrupted`` is written by recovery only. */
export interface TurnEndReason {
  kind: "completed" | "aborted" | "blocked" | "error" | "max-tokens" | "interrupted";
  reason?: Cause;
  error?: LlmFailure;
}

/** All that is kept. */
export interface UiState {
  state: Record<string, unknown>;
}

/** A merge patch: objects merge, ``null`` removes, the rest replaces. */
export interface UiStatePatch {
  patch: Record<string, unknown>;
}

/** A change of one queued message. */
export interface UpdateQueue {
  sessionId: string;
  itemId: string;
  action: "edit" | "remove" | "steer";
  text?: string | null;
}

/** Tokens of one request; input kinds are disjoint, reasoning is part of output. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** Figures of the request; before the finish. */
export interface UsageChunk {
  type: "usage";
  usage: Usage;
}

/** A person wrote it. */
export interface UserSource {
  kind: "user";
}

/** A registered folder. */
export interface Workspace {
  workspaceId: string;
  path: string;
  title: string;
  missing: boolean;
  order: number;
}

/** All of them, in order. */
export interface WorkspaceList {
  workspaces: Workspace[];
}

export interface Methods {
  "approval/answer": { request: ApprovalAnswer; response: ApprovalAnswered };
  "approval/list": { request: Empty; response: PendingApprovals };
  "boot/disable": { request: RowId; response: BootReport };
  "boot/openFolder": { request: RowId; response: Opened };
  "boot/report": { request: Empty; response: BootReport };
  "boot/retry": { request: RowId; response: BootReport };
  "credentials/describe": { request: CredentialRefs; response: CredentialsDescription };
  "credentials/prompt": { request: CredentialPrompt; response: CredentialState };
  "credentials/set": { request: CredentialValue; response: CredentialState };
  "credentials/unset": { request: CredentialRef; response: CredentialState };
  "host/describe": { request: Empty; response: HostDescription };
  "host/installDesktopEntry": { request: Empty; response: EntryInstalled };
  "host/listDirectory": { request: MaybePath; response: DirectoryListing };
  "host/openPath": { request: OnePath; response: Opened };
  "host/openUrl": { request: OneUrl; response: Opened };
  "host/pickDirectory": { request: Title; response: ChosenPath };
  "host/quit": { request: Empty; response: Empty };
  "model/discover": { request: ModelDiscover; response: ModelDiscovered };
  "model/list": { request: Empty; response: ModelList };
  "model/local": { request: Empty; response: LocalServers };
  "model/preview": { request: AddressPreview; response: AddressPreviewed };
  "model/removeProvider": { request: ProviderId; response: Empty };
  "model/saveProvider": { request: ProviderSave; response: ProviderView };
  "model/setDefault": { request: ModelChoice; response: Empty };
  "model/test": { request: ModelTest; response: ModelTested };
  "session/cancel": { request: SessionId; response: Empty };
  "session/create": { request: CreateSession; response: SessionSummary };
  "session/history": { request: HistoryRequest; response: History };
  "session/list": { request: Cursor; response: SessionList };
  "session/markSeen": { request: SessionId; response: Empty };
  "session/prompt": { request: Prompt; response: Prompted };
  "session/rename": { request: RenameSession; response: SessionSummary };
  "session/resumeQueue": { request: SessionId; response: Empty };
  "session/retry": { request: SessionId; response: Empty };
  "session/selectModel": { request: SelectModel; response: SessionSummary };
  "session/setMode": { request: SetMode; response: SessionSummary };
  "session/updateQueue": { request: UpdateQueue; response: QueueState };
  "settings/describe": { request: Empty; response: SettingsDescription };
  "settings/update": { request: SettingsUpdate; response: SettingsUpdated };
  "ui/saveState": { request: UiStatePatch; response: Empty };
  "ui/state": { request: Empty; response: UiState };
  "workspace/create": { request: CreateWorkspace; response: Workspace };
  "workspace/list": { request: Empty; response: WorkspaceList };
  "workspace/remove": { request: RemoveWorkspace; response: Empty };
  "workspace/rename": { request: RenameWorkspace; response: Workspace };
  "workspace/reorder": { request: ReorderWorkspaces; response: WorkspaceList };
}

export interface EventData {
  "agent-preset/selected": {
  agentPreset: string;
};
  "agent/inbox/spliced": {
  target: "next-turn" | "next-step";
  start: number;
  inserted: Message[];
  removedCount?: number;
  outcome?: "canceled";
};
  "approval/asked": {
  id: string;
  toolName: string;
  shown: Record<string, unknown>;
  hash: string;
  callId?: string;
  reason?: string;
};
  "approval/decided": {
  id: string;
  outcome: "allowed-once" | "rejected" | "cancelled" | "unavailable";
  reason?: string;
};
  "approval/policy": {
  policy: "ask" | "never";
  source?: "delegation";
};
  "assistant/chunk": {
  turn: number;
  step: number;
  chunk: BlockStart | TextDelta | ReasoningDelta | ToolCallDelta | BlockEnd | UsageChunk | Finish;
};
  "assistant/message": {
  turn: number;
  step: number;
  message: Message;
  usage?: Usage;
  interrupted?: true;
};
  "llm/retry": {
  retryId: string;
  turn: number;
  step: number;
  provider: string;
  mode: "normal" | "always";
  policyKey: string;
  retry: number;
  delayMs: number;
  failure: LlmFailure;
  maxRetries?: number;
};
  "llm/retry-started": {
  retryId: string;
  turn: number;
  step: number;
  retry: number;
};
  "permission/preset": {
  preset: string;
};
  "request/context": {
  provider: string;
  model: string;
  contextWindow?: number;
};
  "request/header": {
  header: EpochHeader;
  reason: "initial" | "resume" | "change";
};
  "sandbox/enforced": {
  mechanism: "bubblewrap" | "landlock" | "none";
  level: "full" | "partial" | "none";
  gaps: string[];
  network: boolean;
};
  "sandbox/mode": {
  mode: "read-only" | "workspace-write" | "danger-full-access";
  source?: "delegation";
};
  "session/end-seed": Record<string, never>;
  "session/title": {
  title: string;
  messageSeqs: number[];
  source: TitleSource;
};
  "step/end": {
  turn: number;
  step: number;
};
  "step/start": {
  turn: number;
  step: number;
};
  "tool/call": {
  turn: number;
  step: number;
  callId: string;
  name: string;
  arguments: string;
};
  "tool/result": {
  turn: number;
  step: number;
  message: Message;
  error?: ErrorFact;
  meta?: Record<string, unknown>;
};
  "turn/end": {
  turn: number;
  reason: TurnEndReason;
};
  "turn/start": {
  turn: number;
};
  "user/message": {
  id: string;
  role: "user" | "assistant";
  content: (TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock)[];
  source: UserSource | ModelSource | ToolSource | PluginSource;
};
}
