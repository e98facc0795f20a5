/** The sidebar: what one can start, what waits, and the sessions by folder. */

import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { useApp, useScreen } from "../parts/context";
import { Keys } from "../parts/keys";
import { slots } from "../slots/slots";
import { List, Single } from "../slots/views";
import { newSession } from "./actions";
import { onListKeys } from "./roving";

export function Sidebar() {
  const app = useApp();
  const screen = useScreen();
  return (
    <aside class="side" id="side" aria-label={t("side.sessions")} tabIndex={-1}>
      <nav class="side-nav">
        <List slot={slots.sidebarNav} with={{}} />
      </nav>
      <div class="side-scroll" onKeyDown={onListKeys}>
        <Single slot={slots.sidebarMain} with={{}} />
      </div>
      <div class="side-foot">
        <button
          type="button"
          class="row"
          onClick={() => app.nav.go({ at: "settings", page: "general" })}
        >
          <Icon name="settings" />
          <span class="trunc grow">{t("side.settings")}</span>
          {app.host.failedRows.value.length > 0 && (
            <span class="badge bad">{app.host.failedRows.value.length}</span>
          )}
        </button>
        <List slot={slots.sidebarFoot} with={{}} />
        <IconButton
          icon="keyboard"
          label={t("side.shortcuts")}
          onClick={() => {
            screen.sheet.value = true;
          }}
        />
      </div>
    </aside>
  );
}

export function NewSessionRow() {
  const app = useApp();
  const screen = useScreen();
  return (
    <button
      type="button"
      class={`row ${app.nav.place.value.at === "start" ? "on" : ""}`}
      data-testid="new-session"
      onClick={() => newSession(screen)}
    >
      <Icon name="square-pen" />
      <span class="grow trunc">{t("side.newSession")}</span>
      <Keys chord={screen.commands.keysOf("new")} />
    </button>
  );
}

export function InboxRow() {
  const app = useApp();
  const count = app.host.approvals.value.length;
  return (
    <button
      type="button"
      class={`row ${app.nav.place.value.at === "inbox" ? "on" : ""}`}
      onClick={() => app.nav.go({ at: "inbox" })}
    >
      <Icon name="inbox" />
      <span class="grow trunc">{t("side.inbox")}</span>
      {count > 0 && <span class="badge">{count}</span>}
    </button>
  );
}

export function FindRow() {
  const screen = useScreen();
  return (
    <button
      type="button"
      class="row"
      onClick={() => {
        screen.palette.value = "@";
      }}
    >
      <Icon name="search" />
      <span class="grow trunc">{t("side.find")}</span>
    </button>
  );
}
