/** Every method of the host that the page calls: request and response. */

import type {
  BootReport,
  CredentialView,
  DirectoryListing,
  HostDescription,
  Json,
  LocalServer,
  Mode,
  ModelRoute,
  ModelView,
  PendingApproval,
  ProviderView,
  QueueState,
  SessionEvent,
  SessionSummary,
  SettingsNamespace,
  TestStep,
  Workspace,
} from "../wire";

type Nothing = Record<string, never>;
type OneSession = { sessionId: string };
export type Endpoint = { baseUrl: string; dialect: string };

export interface Methods {
  "host/describe": [Nothing, HostDescription];
  "host/pickDirectory": [{ title?: string }, { path: string | null }];
  "host/listDirectory": [{ path?: string }, DirectoryListing];
  "host/openPath": [{ path: string }, { opened: boolean }];
  "host/openUrl": [{ url: string }, { opened: boolean }];
  "host/installDesktopEntry": [Nothing, { installed: boolean; path: string }];
  "host/quit": [Nothing, Nothing];

  "workspace/create": [{ path: string }, Workspace];
  "workspace/rename": [{ workspaceId: string; title: string }, Workspace];
  "workspace/remove": [{ workspaceId: string }, Nothing];

  "session/create": [{ workspaceId: string; preset?: string }, SessionSummary];
  "session/history": [
    { sessionId: string; beforeSeq: number; limit?: number },
    { events: SessionEvent[]; firstSeq: number; hasMore: boolean },
  ];
  "session/prompt": [
    { sessionId: string; text: string; mode: "queue" | "steer"; clientId?: string },
    { messageId: string },
  ];
  "session/updateQueue": [
    { sessionId: string; itemId: string; action: "edit" | "remove" | "steer"; text?: string },
    QueueState,
  ];
  "session/cancel": [OneSession, Nothing];
  "session/resumeQueue": [OneSession, Nothing];
  "session/retry": [OneSession, Nothing];
  "session/rename": [{ sessionId: string; title: string }, SessionSummary];
  "session/selectModel": [{ sessionId: string } & ModelRoute, SessionSummary];
  "session/setMode": [{ sessionId: string; mode: Mode }, SessionSummary];
  "session/markSeen": [OneSession, Nothing];

  "approval/list": [Nothing, { approvals: PendingApproval[] }];
  "approval/answer": [
    { approvalId: string; hash: string; outcome: "allowed-once" | "rejected"; reason?: string },
    { outcome: string },
  ];

  "model/list": [Nothing, { providers: ProviderView[]; current: ModelRoute | null }];
  "model/discover": [Endpoint & { credentialRef?: string }, { models: (ModelView | string)[] }];
  "model/local": [Nothing, { servers: LocalServer[] }];
  "model/test": [{ providerId: string; model?: string }, { steps: TestStep[] }];
  "model/saveProvider": [
    Endpoint & { id: string; label: string; models: string[]; contextWindow?: number },
    ProviderView,
  ];
  "model/removeProvider": [{ id: string }, Nothing];
  "model/setDefault": [ModelRoute, Nothing];

  "settings/describe": [
    Nothing,
    {
      namespaces: SettingsNamespace[];
      problems: { namespace: string; message: string; line?: number | null }[];
    },
  ];
  "settings/update": [
    { namespace: string; patch: Record<string, Json>; revision?: string | number },
    { value: Record<string, Json>; revision: string | number },
  ];
  "credentials/describe": [{ refs: string[] }, { credentials: CredentialView[]; store: string }];
  "credentials/prompt": [{ ref: string; label: string }, { configured: boolean }];
  "credentials/set": [{ ref: string; value: string }, { configured: boolean }];
  "credentials/unset": [{ ref: string }, { configured: boolean }];

  "ui/state": [Nothing, { state: Record<string, Json> }];
  "ui/saveState": [{ patch: Record<string, Json> }, Nothing];

  "boot/report": [Nothing, BootReport];
  "boot/retry": [{ id: string }, BootReport];
  "boot/disable": [{ id: string }, BootReport];
  "boot/openFolder": [{ id: string }, { opened: boolean }];
}
export type Method = keyof Methods;
