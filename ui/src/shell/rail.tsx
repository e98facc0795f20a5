/** The sidebar of a narrow window: signs only. */

import { t } from "../i18n";
import { IconButton } from "../parts/buttons";
import { useApp, useScreen } from "../parts/context";
import { newSession } from "./actions";

export function Rail() {
  const app = useApp();
  const screen = useScreen();
  const at = app.nav.place.value.at;
  const waiting = app.host.approvals.value.length;
  const failed = app.host.failedRows.value.length;
  return (
    <nav class="rail" id="side" aria-label={t("side.sessions")} tabIndex={-1}>
      <IconButton
        icon="square-pen"
        label={t("side.newSession")}
        on={at === "start"}
        id="new-session"
        onClick={() => newSession(screen)}
      />
      <IconButton
        icon="inbox"
        label={t("side.inbox")}
        on={at === "inbox"}
        onClick={() => app.nav.go({ at: "inbox" })}
      >
        {waiting > 0 && <span class="badge">{waiting}</span>}
      </IconButton>
      <IconButton
        icon="search"
        label={t("side.find")}
        onClick={() => {
          screen.palette.value = "@";
        }}
      />
      <span class="grow" />
      <IconButton
        icon="keyboard"
        label={t("side.shortcuts")}
        onClick={() => {
          screen.sheet.value = true;
        }}
      />
      <IconButton
        icon="settings"
        label={t("side.settings")}
        onClick={() => app.nav.go({ at: "settings", page: "general" })}
      >
        {failed > 0 && <span class="badge bad">{failed}</span>}
      </IconButton>
    </nav>
  );
}
