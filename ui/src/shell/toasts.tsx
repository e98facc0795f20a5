/** Short notices; errors stay until they are dismissed. */

import { useEffect } from "preact/hooks";
import type { Toast } from "../core/host";
import { t } from "../i18n";
import { Icon, type IconName } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { useApp } from "../parts/context";

const STAYS_MS = 6000;
const SIGNS: Record<Toast["level"], IconName> = {
  info: "info",
  warning: "triangle-alert",
  error: "circle-alert",
};

export function Toasts() {
  const { host } = useApp();
  return (
    <div class="toasts" role="region" aria-live="polite">
      {host.toasts.value.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastView({ toast }: { toast: Toast }) {
  const { host } = useApp();
  useEffect(() => {
    if (toast.level === "error") return;
    const timer = setTimeout(() => host.dismiss(toast.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [toast.id]);
  return (
    <div class={`toast ${toast.level}`} role={toast.level === "error" ? "alert" : "status"}>
      <Icon name={SIGNS[toast.level]} />
      <div class="grow">
        <div>{toast.message}</div>
        {toast.remedy && <div class="small second">{toast.remedy}</div>}
      </div>
      <IconButton icon="x" small label={t("toast.dismiss")} onClick={() => host.dismiss(toast.id)} />
    </div>
  );
}
