/** What the whole host tells: sessions, workspaces, approvals, boot, models, notices. */

import { computed, signal } from "@preact/signals-core";
import type {
  BootReport,
  DialectView,
  Frame,
  HostDescription,
  HostSnapshot,
  ModelRoute,
  Notice,
  PendingApproval,
  ProviderView,
  SessionSummary,
  Workspace,
} from "../wire";
import type { Api } from "./api";

export interface Toast extends Notice {
  id: number;
}
export interface Models {
  providers: ProviderView[];
  current: ModelRoute | null;
  dialects: DialectView[];
}

/** As many as the host puts into its first picture. */
const FIRST_PAGE = 500;

export class HostStore {
  readonly ready = signal(false);
  readonly description = signal<HostDescription | null>(null);
  readonly sessions = signal<ReadonlyMap<string, SessionSummary>>(new Map());
  readonly workspaces = signal<Workspace[]>([]);
  readonly approvals = signal<PendingApproval[]>([]);
  readonly boot = signal<BootReport | null>(null);
  readonly models = signal<Models | null>(null);
  readonly toasts = signal<Toast[]>([]);
  /** Approvals that were answered elsewhere or vanished, so that a card can say why. */
  readonly settled = signal<{ approvalId: string; outcome: string } | null>(null);
  readonly failedRows = computed(
    () => this.boot.value?.rows.filter((row) => row.phase === "failed" && !row.disabled) ?? [],
  );
  /** A folder that somebody started the program with. */
  readonly openFolder = signal<string | null>(null);
  /** Raised when settings of the host changed. */
  readonly settingsChanged = signal(0);
  /** Where the list of sessions goes on; null when all are known. */
  readonly older = signal<string | null>(null);
  position: { epoch: string; seq: number } | null = null;
  #toast = 0;

  constructor(private readonly api: Api) {}

  receive(frame: Frame): void {
    if (frame.type === "host/snapshot") this.#snapshot(frame.data as HostSnapshot);
    else this.#apply(frame);
    if (this.position && frame.seq !== undefined) this.position.seq = frame.seq;
  }

  #snapshot(snapshot: HostSnapshot): void {
    this.position = { epoch: snapshot.epoch, seq: snapshot.seq };
    this.sessions.value = new Map(snapshot.sessions.map((s) => [s.sessionId, s]));
    this.workspaces.value = snapshot.workspaces;
    this.approvals.value = snapshot.approvals;
    if (snapshot.openFolder) this.openFolder.value = snapshot.openFolder;
    this.ready.value = true;
    this.older.value = null;
    if (snapshot.sessions.length >= FIRST_PAGE) void this.loadSessions(FIRST_PAGE);
  }

  /** The next page of sessions; the first call finds out where it begins. */
  async loadSessions(limit = FIRST_PAGE): Promise<void> {
    const cursor = this.older.peek();
    const page = await this.api.call("session/list", cursor ? { cursor, limit } : { limit });
    const known = this.sessions.peek();
    const fresh = page.sessions.map((s) => [s.sessionId, s] as const);
    this.sessions.value = new Map([...fresh, ...known]);
    this.older.value = page.cursor;
  }

  #apply({ type, data }: Frame): void {
    switch (type) {
      case "host/session":
        this.put(data as SessionSummary);
        break;
      case "host/session-removed": {
        const left = new Map(this.sessions.peek());
        left.delete((data as { sessionId: string }).sessionId);
        this.sessions.value = left;
        break;
      }
      case "host/workspaces":
        this.workspaces.value = (data as { workspaces: Workspace[] }).workspaces;
        break;
      case "host/approval": {
        const fresh = data as PendingApproval;
        const others = this.approvals.peek().filter((a) => a.approvalId !== fresh.approvalId);
        this.approvals.value = [...others, fresh];
        break;
      }
      case "host/approval-settled": {
        const done = data as { approvalId: string; outcome: string };
        this.dropApproval(done.approvalId);
        this.settled.value = done;
        break;
      }
      case "host/boot":
        this.boot.value = data as BootReport;
        break;
      case "host/models":
        void this.loadModels();
        break;
      case "host/settings":
        this.settingsChanged.value++;
        break;
      case "host/open-folder":
        this.openFolder.value = (data as { path: string }).path;
        break;
      case "host/notice":
        this.toast(data as Notice);
    }
  }

  put(summary: SessionSummary): void {
    this.sessions.value = new Map(this.sessions.peek()).set(summary.sessionId, summary);
  }

  putWorkspace(workspace: Workspace): void {
    const others = this.workspaces.peek().filter((w) => w.workspaceId !== workspace.workspaceId);
    this.workspaces.value = [...others, workspace].sort((a, b) => a.order - b.order);
  }

  dropApproval(id: string): void {
    this.approvals.value = this.approvals.peek().filter((a) => a.approvalId !== id);
  }

  toast(notice: Notice): void {
    const shown = { ...notice, id: ++this.#toast };
    this.toasts.value = [...this.toasts.peek().slice(-3), shown];
  }

  dismiss(id: number): void {
    this.toasts.value = this.toasts.peek().filter((t) => t.id !== id);
  }

  /** What is asked for once per connection. Parts that fail leave the rest in place. */
  async load(): Promise<void> {
    await Promise.allSettled([
      this.api.call("host/describe", {}).then((d) => {
        this.description.value = d;
      }),
      this.api.call("boot/report", {}).then((report) => {
        this.boot.value = report;
      }),
      this.loadModels(),
    ]);
  }

  async loadModels(): Promise<void> {
    this.models.value = await this.api.call("model/list", {});
  }
}
