/** Providers of models: where each comes from, whether it can answer, what to do with it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { hostOf, isGuide, labelOf, onThisComputer } from "../core/models";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp, useScreen } from "../parts/context";
import { sureDialog } from "../parts/dialogs";
import { Dot } from "../parts/dot";
import { MenuItem } from "../parts/menuitem";
import { Popover } from "../parts/popover";
import type { LocalServer, ProviderView } from "../wire";
import { CredentialEditor, promptForKey } from "./credential";
import { useLocalServer } from "./local";
import { Page } from "./place";
import { ProviderForm } from "./providerform";
import { TestResult, useTest } from "./test";

export function ModelsPage() {
  const app = useApp();
  const { models, description } = app.host;
  const editing = useSignal<ProviderView | "new" | null>(null);
  const found = useSignal<LocalServer[]>([]);
  const providers = models.value?.providers ?? [];
  useEffect(() => {
    app.api
      .call("model/local", {})
      .then(({ servers }) => {
        found.value = servers;
      })
      .catch(() => undefined);
  }, []);
  const known = new Set(providers.map((p) => hostOf(p.baseUrl)));
  const fresh = found.value.filter((server) => !known.has(hostOf(server.baseUrl)));
  const keyring = description.value?.credentialStore !== "file";
  return (
    <Page
      title={t("settings.models")}
      lead={t(keyring ? "models.lead" : "models.leadFile")}
      actions={
        <button
          type="button"
          class="btn primary"
          data-testid="add-provider"
          onClick={() => {
            editing.value = "new";
          }}
        >
          <Icon name="plus" small />
          {t("models.add")}
        </button>
      }
    >
      <div class="card list">
        {providers.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            edit={() => {
              editing.value = provider;
            }}
          />
        ))}
        {fresh.map((server) => (
          <FoundRow key={server.baseUrl} server={server} />
        ))}
      </div>
      {editing.value && (
        <ProviderForm
          key={editing.value === "new" ? "new" : editing.value.id}
          provider={editing.value === "new" ? null : editing.value}
          close={() => {
            editing.value = null;
          }}
        />
      )}
    </Page>
  );
}

function FoundRow({ server }: { server: LocalServer }) {
  const adopt = useLocalServer();
  return (
    <div class="item sunken">
      <span class="tile">
        <Icon name="radar" />
      </span>
      <div class="grow">
        <div class="hstack">
          <span class="medium">{server.label}</span>
          <span class="tag">{t("models.found")}</span>
        </div>
        <div class="small quiet mono">{hostOf(server.baseUrl)}</div>
      </div>
      <span class="small second">{t("models.count", { n: server.models.length })}</span>
      <button type="button" class="btn" onClick={() => void adopt(server)}>
        {t("models.useIt")}
      </button>
    </div>
  );
}

function initials(label: string): string {
  const words = label.split(/[\s-]+/).filter(Boolean);
  const two = words.length > 1 ? words[0]![0]! + words[1]![0]! : label.slice(0, 2);
  return two.charAt(0).toUpperCase() + two.slice(1);
}

interface ProviderRowProps {
  provider: ProviderView;
  edit: () => void;
}

function ProviderRow({ provider, edit }: ProviderRowProps) {
  const app = useApp();
  const setting = useSignal(false);
  const test = useTest(provider.id);
  const isDefault = app.host.models.value?.current?.provider === provider.id;
  const guide = isGuide(provider);
  return (
    <div data-testid="provider" data-provider={provider.id}>
      <div class="item">
        <span class="tile" aria-hidden="true">
          {guide ? <Icon name="compass" /> : initials(provider.label)}
        </span>
        <div class="grow">
          <div class="hstack">
            <span class="medium trunc">{labelOf(provider)}</span>
            {isDefault && <span class="tag acc">{t("models.default")}</span>}
            {!guide && onThisComputer(provider) && <span class="tag">{t("models.here")}</span>}
            {guide && <span class="tag outline">{t("hero.notAModel")}</span>}
          </div>
          <div class="small quiet trunc mono">{hostOf(provider.baseUrl) || provider.id}</div>
        </div>
        <span class="small second hide-narrow col-models">
          {t("models.count", { n: provider.models.length })}
        </span>
        <span class="small second hide-narrow col-origin">
          <Origin provider={provider} />
        </span>
        <span class="small col-state">
          <Health provider={provider} />
        </span>
        <ProviderMenu
          provider={provider}
          edit={edit}
          test={() => void test.run()}
          setKey={async () => {
            if (app.facts.native) await promptForKey(app, provider);
            else setting.value = true;
          }}
        />
      </div>
      {setting.value && (
        <CredentialEditor
          provider={provider}
          close={() => {
            setting.value = false;
          }}
        />
      )}
      <TestResult test={test} />
    </div>
  );
}

function Origin({ provider }: { provider: ProviderView }) {
  const { credential, origin } = provider;
  if (credential?.source === "environment" || origin === "environment") {
    return credential ? <code>{credential.ref}</code> : <span>{t("models.fromEnv")}</span>;
  }
  if (credential?.configured) {
    return <span>{t(credential.source === "file" ? "models.keyIn.file" : "models.keyIn.keyring")}</span>;
  }
  if (origin === "builtin" && isGuide(provider)) return <span>{t("models.builtin")}</span>;
  return <span>{t(credential ? "models.noKey" : "models.noKeyNeeded")}</span>;
}

function Health({ provider }: { provider: ProviderView }) {
  const { error, credential } = provider;
  if (error) {
    return (
      <span class="hstack danger" title={error.message}>
        <Dot kind="failed" />
        <span class="trunc">{error.message}</span>
      </span>
    );
  }
  const missing = credential && !credential.configured && !onThisComputer(provider);
  return (
    <span class="hstack">
      <Dot kind={missing ? "off" : "ok"} word="" />
      {t(missing ? "models.noKey" : "models.ready")}
    </span>
  );
}

interface ProviderMenuProps extends ProviderRowProps {
  test: () => void;
  setKey: () => void;
}

function ProviderMenu({ provider, edit, test, setKey }: ProviderMenuProps) {
  const screen = useScreen();
  const { app } = screen;
  const { id, label, credential, models } = provider;
  const reload = () => app.host.loadModels();
  const remove = () =>
    screen.open(
      sureDialog({
        title: t("models.removeTitle", { name: label }),
        text: t("models.removeText"),
        go: t("dialog.remove"),
        danger: true,
        done: () =>
          void app.attempt(async () => {
            await app.api.call("model/removeProvider", { id });
            await reload();
          }),
      }),
    );
  const confirm = () =>
    void app.attempt(async () => {
      const { dialect, baseUrl } = provider;
      const names = models.map((model) => model.id);
      const contextWindow = models[0]?.contextWindow;
      const size = contextWindow ? { contextWindow } : {};
      const same = { id, label, dialect, baseUrl: baseUrl ?? "", models: names, ...size };
      await app.api.call("model/saveProvider", { ...same, confirmCredential: true });
      await reload();
    });
  const unset = () =>
    void app.attempt(async () => {
      if (credential) await app.api.call("credentials/unset", { ref: credential.ref });
      await reload();
    });
  return (
    <Popover
      class="icon-btn"
      label={`${t("side.more")}: ${labelOf(provider)}`}
      trigger={<Icon name="ellipsis" />}
      panel={(close) => {
        const act = (work: () => void) => () => {
          close();
          work();
        };
        return (
          <>
            {models.map((model) => (
              <MenuItem
                key={model.id}
                icon="check"
                onSelect={act(() =>
                  app.attempt(async () => {
                    await app.api.call("model/setDefault", { provider: id, model: model.id });
                    await reload();
                  }),
                )}
              >
                <span class="trunc">
                  {t("models.makeDefault")} <code>{model.name}</code>
                </span>
              </MenuItem>
            ))}
            {models.length > 0 && <div class="menu-sep" />}
            <MenuItem icon="plug-zap" onSelect={act(test)}>
              {t("models.test")}
            </MenuItem>
            {provider.error?.code === "CREDENTIAL_UNCONFIRMED" && (
              <MenuItem icon="shield-check" onSelect={act(confirm)}>
                {t("models.confirmKey")}
              </MenuItem>
            )}
            {credential?.writable && (
              <MenuItem icon="key-round" onSelect={act(setKey)}>
                {t(credential.configured ? "models.replaceKey" : "models.setKey")}
              </MenuItem>
            )}
            {credential?.writable && credential.configured && (
              <MenuItem icon="x" onSelect={act(unset)}>
                {t("models.removeKey")}
              </MenuItem>
            )}
            {provider.editable && (
              <>
                <MenuItem icon="pencil" onSelect={act(edit)}>
                  {t("models.edit")}
                </MenuItem>
                <div class="menu-sep" />
                <MenuItem icon="trash-2" danger onSelect={act(remove)}>
                  {t("models.remove")}
                </MenuItem>
              </>
            )}
          </>
        );
      }}
    />
  );
}
