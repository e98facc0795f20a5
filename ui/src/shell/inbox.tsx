/** Everything that waits for the person, of all sessions. */

import { t } from "../i18n";
import { ago } from "../i18n/format";
import { everyMinute } from "../parts/clock";
import { useApp, useScreen } from "../parts/context";
import { Dot } from "../parts/dot";
import { visible } from "../docks/visible";
import { openSession } from "./actions";

export function Inbox() {
  const screen = useScreen();
  const { host } = useApp();
  const waiting = host.approvals.value;
  return (
    <div class="pane-body">
      <div class="page">
        <div class="page-head">
          <h1 class="grow">{t("inbox.title")}</h1>
        </div>
        {!waiting.length && <p class="second">{t("inbox.empty")}</p>}
        {waiting.length > 0 && (
          <div class="card list">
            {waiting.map((approval) => (
              <div class="item" key={approval.approvalId}>
                <Dot kind="waiting" />
                <div class="grow">
                  <div class="medium trunc">
                    {approval.shown.title ??
                      t("approval.fallbackTitle", { tool: approval.tool })}
                  </div>
                  <div class="small quiet trunc">
                    {host.sessions.value.get(approval.sessionId)?.title ?? t("side.untitled")}{" "}
                    <code>{visible(approval.shown.command ?? approval.shown.path ?? "").text}</code>
                  </div>
                </div>
                <span class="small quiet num">{ago(approval.askedAt, everyMinute.value)}</span>
                <button
                  type="button"
                  class="btn"
                  onClick={() => openSession(screen, approval.sessionId)}
                >
                  {t("inbox.open")}
                </button>
              </div>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
