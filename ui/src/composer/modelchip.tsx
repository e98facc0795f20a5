/** Which model answers, and how hard it thinks. */

import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";
import { Dot } from "../parts/dot";
import { MenuItem } from "../parts/menuitem";
import { Popover } from "../parts/popover";
import type { ModelRoute, ModelView, ProviderView } from "../wire";
import { isGuide, labelOf } from "../core/models";

interface ModelChipProps {
  route: ModelRoute | null;
  choose: (route: ModelRoute) => void;
}

export function ModelChip({ route, choose }: ModelChipProps) {
  const { host, nav } = useApp();
  const providers = host.models.value?.providers ?? [];
  const provider = providers.find((p) => p.id === route?.provider);
  const model = provider?.models.find((m) => m.id === route?.model);
  const guide = provider ? isGuide(provider) : false;
  const name = guide ? t("hero.guide") : (model?.name ?? route?.model ?? t("model.none"));
  return (
    <Popover
      class="chip"
      label={`${t("model.title")}: ${name}`}
      testId="model-chip"
      panelClass="menu-models"
      trigger={
        <>
          {guide || !route ? <Dot kind="off" word="" /> : <Icon name="cpu" small />}
          <span class="chip-text">{name}</span>
          {route?.effort && <span class="quiet hide-narrow">{route.effort}</span>}
          <Icon name="chevron-down" class="caret" />
        </>
      }
      panel={(close) => (
        <>
          {providers.map((each) => (
            <ProviderModels
              key={each.id}
              provider={each}
              route={route}
              choose={(chosen) => {
                close();
                choose(chosen);
              }}
            />
          ))}
          {model && model.efforts.length > 0 && route && (
            <Efforts model={model} route={route} choose={choose} />
          )}
          <div class="menu-sep" />
          <MenuItem
            icon="settings"
            onSelect={() => {
              close();
              nav.go({ at: "settings", page: "models" });
            }}
          >
            {t("model.manage")}
          </MenuItem>
        </>
      )}
    />
  );
}

interface ProviderModelsProps extends ModelChipProps {
  provider: ProviderView;
}

function ProviderModels({ provider, route, choose }: ProviderModelsProps) {
  const { id, error, models } = provider;
  return (
    <>
      <div class="menu-head">
        {labelOf(provider)}
        {error && <span class="danger"> {error.message}</span>}
      </div>
      {!models.length && !error && <div class="menu-empty quiet">{t("model.noModels")}</div>}
      {models.map((model) => {
        const chosen = route?.provider === id && route.model === model.id;
        return (
          <MenuItem
            key={model.id}
            chosen={chosen}
            onSelect={() => choose({ provider: id, model: model.id })}
          >
            <span class="grow trunc">{isGuide(provider) ? labelOf(provider) : model.name}</span>
          </MenuItem>
        );
      })}
    </>
  );
}

interface EffortsProps {
  model: ModelView;
  route: ModelRoute;
  choose: (route: ModelRoute) => void;
}

function Efforts({ model, route, choose }: EffortsProps) {
  return (
    <div class="menu-efforts">
      <span class="menu-head">{t("model.effort")}</span>
      <div class="seg">
        {model.efforts.map((effort) => (
          <button
            type="button"
            key={effort}
            role="menuitemradio"
            aria-checked={route.effort === effort}
            aria-pressed={route.effort === effort}
            onClick={() => choose({ ...route, effort })}
          >
            {effort}
          </button>
        ))}
      </div>
    </div>
  );
}
