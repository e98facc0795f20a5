/** The open questions of one session, one at a time. */

import { useEffect } from "preact/hooks";
import { type Key, t } from "../i18n";
import { useApp } from "../parts/context";
import type { SessionProps } from "../slots/slots";
import { ApprovalCard } from "./approval";

export function Approvals({ store }: SessionProps) {
  const { host } = useApp();
  const mine = host.approvals.value.filter((a) => a.sessionId === store.id);
  const first = mine[0];
  const shown = first?.approvalId;
  useEffect(() => {
    if (!shown) return;
    // Settled in another window, or by the session's end: say so where it was.
    return () => {
      const settled = host.settled.peek();
      if (settled?.approvalId !== shown || settled.outcome === "allowed-once") return;
      if (settled.outcome === "rejected") return;
      const outcome = t(`approval.outcome.${settled.outcome}` as Key);
      host.toast({ level: "info", message: t("approval.gone", { outcome }) });
    };
  }, [shown]);
  if (!first) return null;
  return <ApprovalCard key={first.approvalId} approval={first} waiting={mine.length - 1} />;
}
