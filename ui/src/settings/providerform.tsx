/** A provider of one's own: name, protocol, address, models. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { whole } from "../i18n/format";
import { Icon } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { onThisComputer } from "../core/models";
import { useApp } from "../parts/context";
import type { ProviderView } from "../wire";
import { AddressPreview, validUrl } from "./address";
import { promptForKey } from "./credential";
import { idOf } from "./local";
import { parseTokens } from "./tokens";

interface ProviderFormProps {
  provider: ProviderView | null;
  close: () => void;
}

export function ProviderForm({ provider, close }: ProviderFormProps) {
  const app = useApp();
  const card = useRef<HTMLElement>(null);
  const label = useSignal(provider?.label ?? "");
  const dialects = app.host.models.value?.dialects ?? [];
  const dialect = useSignal(provider?.dialect ?? dialects[0]?.name ?? "generic");
  const baseUrl = useSignal(provider?.baseUrl ?? "");
  const models = useSignal(provider?.models.map((model) => model.id) ?? []);
  const window = useSignal(provider?.models[0]?.contextWindow?.toString() ?? "");
  const fetching = useSignal(false);
  const kind = dialects.find((each) => each.name === dialect.value);
  const name = label.value.trim() || kind?.label || "";
  const id = provider?.id ?? idOf(name);
  const goodUrl = validUrl(baseUrl.value);
  const goodWindow = !window.value.trim() || parseTokens(window.value) !== null;
  const ready = name !== "" && goodUrl && goodWindow;

  useEffect(() => {
    if (!provider) chooseDialect(dialect.peek());
    card.current?.scrollIntoView({ block: "nearest" });
    card.current?.querySelector("input")?.focus();
  }, []);

  /** A kind of server brings its usual address along, unless one was typed. */
  function chooseDialect(chosen: string) {
    const usual = dialects.map((each) => each.baseUrl);
    if (!baseUrl.peek() || usual.includes(baseUrl.peek())) {
      baseUrl.value = dialects.find((each) => each.name === chosen)?.baseUrl ?? "";
    }
    dialect.value = chosen;
  }

  async function fetchList() {
    fetching.value = true;
    await app.attempt(async () => {
      const ref = provider?.credential?.ref ?? kind?.credentialRef;
      const where = { baseUrl: baseUrl.peek(), dialect: dialect.peek() };
      const request = ref ? { ...where, credentialRef: ref } : where;
      const found = await app.api.call("model/discover", request);
      models.value = found.models.map((model) => model.id);
    });
    fetching.value = false;
  }

  async function save(event: Event) {
    event.preventDefault();
    if (!ready) return;
    const contextWindow = parseTokens(window.peek());
    const request = {
      id,
      label: name,
      dialect: dialect.peek(),
      baseUrl: baseUrl.peek().trim(),
      models: models.peek(),
      ...(contextWindow ? { contextWindow } : {}),
    };
    const went = await app.attempt(async () => {
      const saved = await app.api.call("model/saveProvider", request);
      await app.host.loadModels();
      app.host.toast({ level: "info", message: t("models.saved") });
      close();
      const keyless = saved.credential && !saved.credential.configured;
      if (keyless && app.facts.native && !onThisComputer(saved)) await promptForKey(app, saved);
    });
    if (!went) card.current?.scrollIntoView({ block: "nearest" });
  }

  return (
    <section class="card" ref={card} aria-label={t("models.custom")} data-testid="provider-form">
      <form onSubmit={(event) => void save(event)}>
        <div class="item">
          <h2 class="grow">{t(provider ? "models.editTitle" : "models.custom")}</h2>
          <span class="tag warn">{t("models.notSaved")}</span>
          <IconButton icon="x" label={t("dialog.close")} onClick={close} />
        </div>
        <div class="form">
          <label class="field">
            <span class="label">{t("models.name")}</span>
            <span class="input">
              <input
                data-testid="provider-name"
                placeholder={kind?.label}
                value={label.value}
                onInput={(event) => {
                  label.value = event.currentTarget.value;
                }}
              />
            </span>
            <span class="hint">{t("models.address", { id })}</span>
          </label>
          <label class="field">
            <span class="label">{t("models.protocol")}</span>
            <span class="input">
              <select
                data-testid="provider-dialect"
                value={dialect.value}
                onChange={(event) => chooseDialect(event.currentTarget.value)}
              >
                {dialects.map((each) => (
                  <option key={each.name} value={each.name}>
                    {each.label}
                  </option>
                ))}
              </select>
              <Icon name="chevrons-up-down" small />
            </span>
          </label>
          <label class="field full">
            <span class="label">{t("models.baseUrl")}</span>
            <span class={`input ${baseUrl.value && !goodUrl ? "bad" : ""}`}>
              <input
                class="mono"
                data-testid="provider-url"
                placeholder="https://"
                spellcheck={false}
                value={baseUrl.value}
                onInput={(event) => {
                  baseUrl.value = event.currentTarget.value;
                }}
              />
            </span>
            <AddressPreview baseUrl={baseUrl.value} dialect={dialect.value} />
          </label>
          <ModelNames
            names={models.value}
            change={(names) => {
              models.value = names;
            }}
            fetch={goodUrl && !fetching.value ? () => void fetchList() : null}
          />
          <label class="field full">
            <span class="label">{t("models.window")}</span>
            <span class={`input ${goodWindow ? "" : "bad"}`}>
              <input
                value={window.value}
                placeholder={whole(128_000)}
                onInput={(event) => {
                  window.value = event.currentTarget.value;
                }}
              />
            </span>
            <span class={`hint ${goodWindow ? "" : "danger"}`}>{t("models.windowHint")}</span>
          </label>
          {!provider && <p class="hint full">{t("models.keyAfterSave")}</p>}
        </div>
        <div class="dialog-foot">
          <button type="button" class="btn ghost lg" onClick={close}>
            {t("models.discard")}
          </button>
          <button
            type="submit"
            class="btn primary lg"
            disabled={!ready}
            data-testid="save-provider"
          >
            {t("models.save")}
          </button>
        </div>
      </form>
    </section>
  );
}

interface ModelNamesProps {
  names: string[];
  change: (names: string[]) => void;
  fetch: (() => void) | null;
}

function ModelNames({ names, change, fetch }: ModelNamesProps) {
  const fresh = useSignal("");
  function add() {
    const name = fresh.peek().trim();
    fresh.value = "";
    if (name && !names.includes(name)) change([...names, name]);
  }
  return (
    <div class="field full">
      <div class="hstack">
        <span class="label grow">{t("models.models")}</span>
        <button type="button" class="btn sm" disabled={!fetch} onClick={() => fetch?.()}>
          <Icon name="refresh-cw" small />
          {t("models.fetch")}
        </button>
      </div>
      <div class="list names">
        {names.map((name) => (
          <div class="name-row" key={name}>
            <span class="mono grow trunc">{name}</span>
            <IconButton
              icon="x"
              small
              label={`${t("queue.remove")}: ${name}`}
              onClick={() => change(names.filter((other) => other !== name))}
            />
          </div>
        ))}
        <div class="name-row">
          <input
            class="mono grow"
            data-testid="model-name"
            aria-label={t("models.modelName")}
            placeholder={names.length ? t("models.addByName") : t("models.noneYet")}
            value={fresh.value}
            onInput={(event) => {
              fresh.value = event.currentTarget.value;
            }}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.isComposing) return;
              event.preventDefault();
              add();
            }}
          />
          <IconButton icon="plus" small label={t("models.addByName")} onClick={add} />
        </div>
      </div>
    </div>
  );
}
