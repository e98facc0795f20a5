/** The navigation of the settings, in the sidebar's place. */

import { type Key, t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";
import { Keys } from "../parts/keys";
import { onListKeys } from "../shell/roving";
import { settingsPages } from "./pages";

const GROUPS = ["app", "agents", "system"] as const;

export function SettingsSidebar() {
  const { nav, host } = useApp();
  const place = nav.place.value;
  const here = place.at === "settings" ? place.page : "";
  const failed = host.failedRows.value.length;
  return (
    <aside class="side" id="side" aria-label={t("settings.title")} tabIndex={-1}>
      <nav class="side-scroll" onKeyDown={onListKeys}>
        <button type="button" class="row" onClick={() => nav.leaveSettings()}>
          <Icon name="arrow-left" />
          <span class="grow">{t("settings.back")}</span>
          <Keys chord="escape" />
        </button>
        {GROUPS.map((group) => (
          <div key={group}>
            <div class="group-head">{t(`settings.group.${group}` as Key)}</div>
            {settingsPages
              .filter((page) => page.group === group)
              .map((page) => (
                <button
                  type="button"
                  key={page.id}
                  class={`row ${page.id === here ? "on" : ""}`}
                  aria-current={page.id === here ? "page" : undefined}
                  title={t(page.title)}
                  data-testid={`settings-${page.id}`}
                  onClick={() => nav.go({ at: "settings", page: page.id })}
                >
                  <Icon name={page.icon} />
                  <span class="trunc grow">{t(page.title)}</span>
                  {page.id === "plugins" && failed > 0 && <span class="badge bad">{failed}</span>}
                </button>
              ))}
          </div>
        ))}
      </nav>
    </aside>
  );
}
