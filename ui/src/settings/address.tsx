/** Where requests of a new provider would go, told by the host that would send them. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { useApp } from "../parts/context";

export function validUrl(text: string): boolean {
  try {
    const { protocol, hostname } = new URL(text.trim());
    return (protocol === "http:" || protocol === "https:") && hostname !== "";
  } catch {
    return false;
  }
}

const PAUSE_MS = 200;

interface AddressProps {
  baseUrl: string;
  dialect: string;
}

export function AddressPreview({ baseUrl, dialect }: AddressProps) {
  const { api } = useApp();
  const address = useSignal("");
  const problem = useSignal("");
  const good = validUrl(baseUrl);
  useEffect(() => {
    address.value = problem.value = "";
    if (!good) return;
    const timer = setTimeout(() => {
      api
        .call("model/preview", { baseUrl: baseUrl.trim(), dialect })
        .then((told) => {
          address.value = told.address;
        })
        .catch((error: Error) => {
          problem.value = error.message;
        });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [baseUrl, dialect]);
  if (!baseUrl.trim()) return null;
  if (!good) return <span class="hint danger">{t("models.urlBad")}</span>;
  if (problem.value) return <span class="hint danger">{problem.value}</span>;
  if (!address.value) return <span class="hint">…</span>;
  return <span class="hint">{t("models.urlPreview", { url: address.value })}</span>;
}
