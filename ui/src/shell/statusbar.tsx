/** The status bar: is the host there, what is enforced, what the turn costs. */

import { type Key, t } from "../i18n";
import { count } from "../i18n/format";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";
import { Dot } from "../parts/dot";
import { Ring } from "../parts/ring";
import { slots } from "../slots/slots";
import { List } from "../slots/views";
import { hasNoModel } from "../core/models";
import { contextUse } from "../core/context";

export function StatusBar() {
  return (
    <footer class="status" aria-label={t("link.connected")}>
      <LinkStatus />
      <SandboxStatus />
      <List slot={slots.statusItem} with={{}} />
      <span class="spring" />
      <SessionStatus />
      <BootStatus />
    </footer>
  );
}

function LinkStatus() {
  const { link } = useApp();
  const state = link.state.value;
  if (state === "connected") {
    return (
      <span data-testid="link" data-state={state}>
        <Dot kind="ok" word={t("link.connectedMark")} />
        {t("link.connected")}
      </span>
    );
  }
  const kind = state === "refused" ? "failed" : "pending";
  const text = t(`link.${state}` as Key);
  return (
    <span role="status" data-testid="link" data-state={state}>
      <Dot kind={kind} word="" />
      {text}
    </span>
  );
}

const ENFORCED: Record<string, Key> = {
  full: "status.enforced",
  partial: "status.partly",
  none: "status.notEnforced",
};

function SandboxStatus() {
  const { host, nav } = useApp();
  const place = nav.place.value;
  const described = host.description.value;
  if (!described?.sandbox) return null;
  const session = place.at === "session" ? host.sessions.value.get(place.sessionId) : undefined;
  const mode = session?.mode ?? described.defaultMode;
  const { level, network } = described.sandbox;
  const open = mode === "danger-full-access";
  const words = {
    mode: t(`mode.${mode}` as Key),
    network: t(open || network ? "about.networkOn" : "about.networkOff"),
  };
  const weak = open || level !== "full";
  return (
    <button
      type="button"
      class="status-link"
      onClick={() => nav.go({ at: "settings", page: "about" })}
    >
      <Icon name={open || level === "none" ? "shield-off" : "shield-check"} small />
      {t("status.sandbox", words)}
      {!open && (
        <span class={weak ? "warn" : "quiet"}>{t(ENFORCED[level] ?? "status.notEnforced")}</span>
      )}
    </button>
  );
}

function SessionStatus() {
  const app = useApp();
  const place = app.nav.place.value;
  if (place.at !== "session") {
    const models = app.host.models.value;
    return hasNoModel(models) ? <span>{t("status.noModel")}</span> : null;
  }
  const store = app.session(place.sessionId);
  const { status, turn, step } = store.live.value;
  const use = contextUse(app, store);
  return (
    <>
      {status === "running" && turn != null && step != null && (
        <span class="num hide-narrow">{t("status.turn", { turn, step })}</span>
      )}
      {use && (
        <span class="num">
          <Ring share={use.used / use.all} />
          {t("status.context", { used: count(use.used), all: count(use.all) })}
        </span>
      )}
    </>
  );
}

function BootStatus() {
  const { host, nav } = useApp();
  const failed = host.failedRows.value.length;
  const safe = host.boot.value?.safeMode;
  if (!failed && !safe) return null;
  return (
    <button
      type="button"
      class={`status-link ${failed ? "danger" : "warn"}`}
      onClick={() => nav.go({ at: "settings", page: "plugins" })}
    >
      <Dot kind={failed ? "failed" : "waiting"} word="" />
      {failed ? t("status.failed", { n: failed }) : t("status.safeMode")}
    </button>
  );
}
