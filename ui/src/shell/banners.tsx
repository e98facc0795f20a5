/** Strips over the page that say what is not as it should be. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";

/** A short hiccup is not worth a strip. */
const PATIENCE_MS = 1500;

export function LinkBanner() {
  const { link } = useApp();
  const state = link.state.value;
  const late = useSignal(false);
  useEffect(() => {
    late.value = false;
    if (state !== "reconnecting") return;
    const timer = setTimeout(() => {
      late.value = true;
    }, PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (state === "refused") {
    return (
      <div class="banner danger" role="alert">
        <Icon name="wifi-off" />
        <span class="grow">{t("link.refusedLong")}</span>
        <button type="button" class="btn" onClick={() => location.reload()}>
          {t("link.reload")}
        </button>
      </div>
    );
  }
  if (state !== "reconnecting" || !late.value) return null;
  return (
    <div class="banner warn" role="status">
      <Icon name="wifi-off" />
      <span class="grow">{t("link.lost")}</span>
      <button type="button" class="btn" onClick={() => link.retryNow()}>
        {t("link.retry")}
      </button>
    </div>
  );
}

export function SafeModeBanner() {
  const { host, nav } = useApp();
  if (!host.boot.value?.safeMode) return null;
  return (
    <div class="banner warn" role="status">
      <Icon name="shield" />
      <span class="grow">{t("plugins.safeMode")}</span>
      <button
        type="button"
        class="btn"
        onClick={() => nav.go({ at: "settings", page: "plugins" })}
      >
        {t("settings.plugins")}
      </button>
    </div>
  );
}
