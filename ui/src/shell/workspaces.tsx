/** Workspaces with their sessions: folds, a few at a time, menus. */

import { useSignal } from "@preact/signals";
import { grouped, type Group, markOf } from "../core/grouping";
import { t } from "../i18n";
import { ago } from "../i18n/format";
import { Icon } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { everyMinute } from "../parts/clock";
import { useApp, useScreen } from "../parts/context";
import { Dot } from "../parts/dot";
import { MenuItem } from "../parts/menuitem";
import { Popover } from "../parts/popover";
import type { SessionSummary, Workspace } from "../wire";
import {
  newSession,
  openFolderAndStart,
  openSession,
  removeWorkspace,
  renameSession,
  renameWorkspace,
} from "./actions";

const FIRST = 5;
const STEP = 20;

export function Workspaces() {
  const screen = useScreen();
  const { app } = screen;
  const { host } = app;
  const groups = grouped(host.workspaces.value, host.sessions.value.values());
  if (!groups.length) {
    return (
      <>
        <div class="group-head">{t("side.workspaces")}</div>
        <p class="hint side-empty">{t("side.empty")}</p>
        <button type="button" class="btn side-open" onClick={() => void openFolderAndStart(screen)}>
          <Icon name="folder-plus" small />
          {t("side.openFolder")}
        </button>
      </>
    );
  }
  return (
    <>
      {groups.map((group) => (
        <WorkspaceGroup key={group.workspace?.workspaceId ?? ""} group={group} />
      ))}
      {host.older.value && (
        <button
          type="button"
          class="row quiet small side-more"
          onClick={() => void app.attempt(() => host.loadSessions())}
        >
          {t("side.older")}
        </button>
      )}
    </>
  );
}

function WorkspaceGroup({ group }: { group: Group }) {
  const { prefs } = useApp();
  const { workspace, sessions } = group;
  const name = `fold:${workspace?.workspaceId ?? ""}`;
  const folded = prefs.get(name, false);
  const shown = useSignal(FIRST);
  const title = workspace?.title ?? t("side.noWorkspace");
  return (
    <section aria-label={title}>
      <div class="group-head">
        <button
          type="button"
          class="group-title"
          aria-expanded={!folded}
          title={workspace?.path ?? title}
          onClick={() => {
            prefs.set(name, !folded);
            shown.value = FIRST;
          }}
        >
          <Icon name={folded ? "chevron-right" : "chevron-down"} class="caret" />
          <span class="trunc">{title}</span>
          {workspace?.missing && <span class="tag warn">{t("side.missing")}</span>}
        </button>
        {workspace && <WorkspaceTools workspace={workspace} />}
      </div>
      {!folded &&
        sessions.slice(0, shown.value).map((s) => <SessionRow key={s.sessionId} session={s} />)}
      {!folded && workspace && !sessions.length && (
        <p class="hint side-none">{t("side.noSessions")}</p>
      )}
      {!folded && sessions.length > FIRST && (
        <button
          type="button"
          class="row quiet small side-more"
          onClick={() => {
            shown.value = shown.value >= sessions.length ? FIRST : shown.value + STEP;
          }}
        >
          {shown.value >= sessions.length
            ? t("side.showFewer")
            : t("side.showMore", { n: Math.min(STEP, sessions.length - shown.value) })}
        </button>
      )}
    </section>
  );
}

function WorkspaceTools({ workspace }: { workspace: Workspace }) {
  const screen = useScreen();
  const { app } = screen;
  const act = (close: () => void, work: () => void) => () => {
    close();
    work();
  };
  return (
    <span class="tools">
      <Popover
        class="icon-btn sm"
        label={`${t("side.more")}: ${workspace.title}`}
        title={t("side.more")}
        trigger={<Icon name="ellipsis" small />}
        panel={(close) => (
          <>
            <MenuItem
              icon="square-pen"
              onSelect={act(close, () => newSession(screen, workspace.workspaceId))}
            >
              {t("side.newHere")}
            </MenuItem>
            <MenuItem
              icon="folder-open"
              onSelect={act(close, () =>
                app.attempt(() => app.api.call("host/openPath", { path: workspace.path })),
              )}
            >
              {t("side.openFolderOf")}
            </MenuItem>
            <MenuItem icon="pencil" onSelect={act(close, () => renameWorkspace(screen, workspace))}>
              {t("side.rename")}
            </MenuItem>
            <div class="menu-sep" />
            <MenuItem
              icon="x"
              danger
              onSelect={act(close, () => removeWorkspace(screen, workspace))}
            >
              {t("side.removeWorkspace")}
            </MenuItem>
          </>
        )}
      />
      <IconButton
        icon="plus"
        small
        label={t("side.newHere")}
        onClick={() => newSession(screen, workspace.workspaceId)}
      />
    </span>
  );
}

function SessionRow({ session }: { session: SessionSummary }) {
  const screen = useScreen();
  const place = screen.app.nav.place.value;
  const here = place.at === "session" && place.sessionId === session.sessionId;
  const title = session.title ?? t("side.untitled");
  return (
    <button
      type="button"
      class={`row ${here ? "on" : ""} ${session.unseen ? "unread" : ""}`}
      aria-current={here ? "page" : undefined}
      data-testid="session-row"
      data-session={session.sessionId}
      title={title}
      onClick={() => openSession(screen, session.sessionId)}
      onDblClick={() => renameSession(screen, session)}
    >
      <Dot kind={markOf(session)} />
      <span class="t trunc grow">{title}</span>
      <span class="meta">{ago(session.updated, everyMinute.value)}</span>
    </button>
  );
}
