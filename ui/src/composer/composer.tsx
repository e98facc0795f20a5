/** The message field of a session. */

import { t } from "../i18n";
import { caps } from "../keys/chord";
import { useApp, useScreen } from "../parts/context";
import { changeQueue } from "../docks/queue";
import { slots, type SessionProps } from "../slots/slots";
import { List } from "../slots/views";
import { ComposerBox } from "./box";
import { stopTurn } from "./stop";

export function SessionComposer({ store }: SessionProps) {
  const app = useApp();
  const screen = useScreen();
  const busy = store.live.value.status === "running";
  const approval = app.host.approvals.value.find((a) => a.sessionId === store.id);

  async function send(text: string, steer: boolean): Promise<boolean> {
    if (approval) {
      // Words instead of a yes are a no with a reason.
      const { approvalId, hash } = approval;
      const answer = { approvalId, hash, outcome: "rejected" as const, reason: text };
      await app.api.call("approval/answer", answer);
      app.host.dropApproval(approvalId);
      return true;
    }
    await store.send(text, steer ? "steer" : "queue");
    return true;
  }

  function steerQueue() {
    void (async () => {
      for (const { id } of store.queue.peek().nextTurn) await changeQueue(app, store, id, "steer");
    })();
  }

  const placeholder = approval
    ? t("composer.placeholderApproval")
    : busy
      ? t("composer.placeholderBusy", { keys: caps("mod+enter").join(" ") })
      : t("composer.placeholder");
  const armed = busy && screen.stopArmed.value > 0;
  return (
    <ComposerBox
      draft={store.id}
      placeholder={placeholder}
      busy={busy}
      compact={!!approval}
      hint={armed ? t("composer.stopAgain") : null}
      send={send}
      steerQueue={steerQueue}
      stop={() => stopTurn(screen, store.id)}
      left={<List slot={slots.composerLeft} with={{ store }} />}
      right={<List slot={slots.composerRight} with={{ store }} />}
    />
  );
}

/** In place of the field when the session can only be read. */
export function ReadOnlyNotice({ store }: SessionProps) {
  return (
    <div class="composer-readonly" role="note">
      {t("composer.readOnly", { reason: store.readOnly.value ?? "" })}
    </div>
  );
}
