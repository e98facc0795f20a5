/** Chooses the folder to work in. */

import { useSignal } from "@preact/signals";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp, useScreen } from "../parts/context";
import { Keys } from "../parts/keys";
import { MenuItem } from "../parts/menuitem";
import { Popover } from "../parts/popover";
import { newSession, openFolderAndStart } from "../shell/actions";
import { stagedWorkspace } from "./staged";

export function WorkspaceChip() {
  const app = useApp();
  const screen = useScreen();
  const filter = useSignal("");
  const chosen = stagedWorkspace(app);
  const all = app.host.workspaces.value;
  if (!all.length) {
    return (
      <button
        type="button"
        class="chip unset"
        data-testid="workspace-chip"
        onClick={() => void openFolderAndStart(screen)}
      >
        <Icon name="folder-plus" small />
        {t("hero.chooseFolder")}
      </button>
    );
  }
  const words = filter.value.toLowerCase();
  const shown = all.filter((w) => `${w.title} ${w.path}`.toLowerCase().includes(words));
  return (
    <Popover
      class={`chip ${chosen ? "outline" : "unset"}`}
      testId="workspace-chip"
      label={chosen?.title ?? t("hero.chooseFolder")}
      title={chosen?.path}
      panelClass="menu-folders"
      trigger={
        <>
          <Icon name={chosen ? "folder" : "folder-plus"} small />
          <span class="chip-text">{chosen?.title ?? t("hero.chooseFolder")}</span>
          <Icon name="chevron-down" class="caret" />
        </>
      }
      panel={(close) => (
        <>
          {all.length > 5 && (
            <span class="input menu-filter">
              <Icon name="search" small />
              <input
                aria-label={t("hero.filter")}
                placeholder={t("hero.filter")}
                value={filter.value}
                onInput={(event) => {
                  filter.value = event.currentTarget.value;
                }}
              />
            </span>
          )}
          <div class="menu-head">{t("side.workspaces")}</div>
          {shown.map((workspace) => (
            <MenuItem
              key={workspace.workspaceId}
              icon="folder"
              chosen={workspace === chosen}
              disabled={workspace.missing}
              onSelect={() => {
                close();
                app.prefs.set("workspace", workspace.workspaceId);
                newSession(screen, workspace.workspaceId);
              }}
            >
              <span class="menu-name trunc">{workspace.title}</span>
              <span class="mono small quiet trunc grow">{workspace.path}</span>
            </MenuItem>
          ))}
          <div class="menu-sep" />
          <MenuItem
            icon="folder-plus"
            onSelect={() => {
              close();
              void openFolderAndStart(screen);
            }}
          >
            <span class="grow">{t("hero.otherFolder")}</span>
            <Keys chord={screen.commands.keysOf("openFolder")} />
          </MenuItem>
        </>
      )}
    />
  );
}
