/**
 * The question whether something may be done.
 *
 * Nothing on it reacts for half a second after it appears, a letter acts only on the
 * focused card after a moment without typing, and Enter only on a focused button.
 */

import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../core/api";
import { type Key, t } from "../i18n";
import { composing } from "../keys/chord";
import { useApp, useScreen } from "../parts/context";
import { Dot } from "../parts/dot";
import { Keys } from "../parts/keys";
import type { ApprovalProps } from "../slots/slots";
import { Effects } from "./effects";
import { Exact, Pieces } from "./exact";
import { lastKey, typingIn } from "./typing";
import { visible } from "./visible";

const INERT_MS = 500;

export function ApprovalCard({ approval, waiting }: ApprovalProps) {
  const app = useApp();
  const screen = useScreen();
  const card = useRef<HTMLElement>(null);
  const deny = useRef<HTMLButtonElement>(null);
  const ready = useSignal(false);
  const confirming = useSignal(false);
  const sent = useSignal(false);
  const high = approval.risk === "high";
  const off = useComputed(() => !ready.value || sent.value);

  function rest() {
    ready.value = false;
    const timer = setTimeout(() => {
      ready.value = true;
    }, INERT_MS);
    return () => clearTimeout(timer);
  }

  useEffect(() => {
    confirming.value = false;
    sent.value = false;
    if (!typingIn(document.activeElement)) card.current?.focus({ preventScroll: true });
    return rest();
  }, [approval.approvalId]);

  useEffect(() => {
    if (high && ready.value && document.activeElement === card.current) deny.current?.focus();
  }, [ready.value]);

  async function answer(outcome: "allowed-once" | "rejected") {
    if (off.peek()) return;
    if (outcome === "allowed-once" && high && !confirming.peek()) {
      confirming.value = true;
      rest();
      return;
    }
    sent.value = true;
    const { approvalId, hash } = approval;
    try {
      await app.api.call("approval/answer", { approvalId, hash, outcome });
      app.host.dropApproval(approvalId);
      screen.focusComposer.value++;
    } catch (error) {
      sent.value = false;
      if (error instanceof ApiError && error.code === "SETTLED") app.host.dropApproval(approvalId);
      app.fail(error);
    }
  }

  function onKey(event: KeyboardEvent) {
    const quiet = Date.now() - lastKey.before > INERT_MS;
    if (event.repeat || composing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      screen.focusComposer.value++;
      return;
    }
    if (event.target !== card.current || !quiet) return;
    const key = event.key.toLowerCase();
    if (key === "d") void answer("rejected");
    if (key === "a" && !high) void answer("allowed-once");
  }

  const { shown } = approval;
  const title = shown.title ?? t("approval.fallbackTitle", { tool: approval.tool });
  const subject = shown.command ?? shown.path ?? "";
  const name = t("approval.label", { title, command: visible(subject).text });
  return (
    <section
      ref={card}
      class={`approval ${high ? "high" : ""}`}
      role="alertdialog"
      aria-label={name}
      tabIndex={-1}
      data-testid="approval"
      data-approval={approval.approvalId}
      onKeyDown={onKey}
    >
      <div class="approval-head">
        <Dot kind={high ? "failed" : "waiting"} word={t("mark.waiting")} />
        <h3 class="grow">
          <Pieces raw={title} />
        </h3>
        <Risk risk={approval.risk} />
      </div>
      <div class="approval-body">
        {subject && <Exact raw={subject} />}
        <Effects approval={approval} />
        {confirming.value && <p class="danger medium">{t("approval.highConfirm")}</p>}
      </div>
      <div class="approval-foot">
        <button
          ref={deny}
          type="button"
          class="btn"
          disabled={off.value}
          data-testid="approval-deny"
          onClick={() => void answer("rejected")}
        >
          {t("approval.deny")}
          <Keys chord="d" />
        </button>
        <span class="grow small quiet">
          {waiting > 0 && t("approval.more", { n: waiting })}
        </span>
        <button
          type="button"
          class={`btn ${confirming.value ? "danger-solid" : "primary"}`}
          disabled={off.value}
          data-testid="approval-allow"
          onClick={() => void answer("allowed-once")}
        >
          {t(confirming.value ? "approval.allowSure" : "approval.allow")}
          {!high && <Keys chord="a" />}
        </button>
      </div>
    </section>
  );
}

const GRADES = { low: "low", medium: "mid", high: "hi" };

function Risk({ risk }: { risk: "low" | "medium" | "high" }) {
  return (
    <span class={`risk ${GRADES[risk]}`}>
      <span class="bars" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {t(`approval.${risk}` as Key)}
    </span>
  );
}
