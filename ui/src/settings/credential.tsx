/** Keys: typed into a dialog of the system, or in a browser into a field that only writes. */

import { useSignal } from "@preact/signals";
import type { App } from "../core/app";
import { t } from "../i18n";
import { useApp } from "../parts/context";
import type { ProviderView } from "../wire";

export async function promptForKey(app: App, provider: ProviderView): Promise<void> {
  const ref = provider.credential?.ref;
  if (!ref) return;
  await app.attempt(async () => {
    await app.api.call("credentials/prompt", { ref, label: provider.label });
    await app.host.loadModels();
  });
}

interface CredentialEditorProps {
  provider: ProviderView;
  close: () => void;
}

export function CredentialEditor({ provider, close }: CredentialEditorProps) {
  const app = useApp();
  const value = useSignal("");
  const ref = provider.credential?.ref;
  async function save(event: Event) {
    event.preventDefault();
    const secret = value.peek().trim();
    value.value = "";
    if (!ref || !secret) return;
    const went = await app.attempt(async () => {
      await app.api.call("credentials/set", { ref, value: secret });
      await app.host.loadModels();
    });
    if (went) close();
  }
  return (
    <form class="key-form" onSubmit={(event) => void save(event)}>
      <span class="input grow">
        <input
          type="password"
          autoComplete="off"
          spellcheck={false}
          data-testid="key-input"
          aria-label={t("models.key")}
          placeholder={t("models.keyPlaceholder")}
          value={value.value}
          ref={(input) => {
            if (!value.peek()) input?.focus();
          }}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      </span>
      <button type="button" class="btn ghost lg" onClick={close}>
        {t("dialog.cancel")}
      </button>
      <button type="submit" class="btn primary lg" disabled={!value.value.trim()}>
        {t("models.keySave")}
      </button>
    </form>
  );
}
