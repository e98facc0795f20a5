/** What the agent may do: read, write here, or everything. */

import { type Key, t } from "../i18n";
import { Icon, type IconName } from "../icons/icon";
import { useScreen } from "../parts/context";
import { sureDialog } from "../parts/dialogs";
import { MenuItem } from "../parts/menuitem";
import { Popover } from "../parts/popover";
import type { Mode } from "../wire";

export const MODES: Mode[] = ["read-only", "workspace-write", "danger-full-access"];
const SIGNS: Record<Mode, IconName> = {
  "read-only": "eye",
  "workspace-write": "shield-check",
  "danger-full-access": "shield-off",
};

interface ModeChipProps {
  mode: Mode;
  choose: (mode: Mode) => void;
}

export function ModeChip({ mode, choose }: ModeChipProps) {
  const screen = useScreen();
  function select(wanted: Mode) {
    if (wanted === mode) return;
    if (wanted !== "danger-full-access") return choose(wanted);
    screen.open(
      sureDialog({
        title: t("mode.fullTitle"),
        text: t("mode.fullText"),
        check: t("mode.fullCheck"),
        go: t("mode.fullGo"),
        danger: true,
        done: () => choose(wanted),
      }),
    );
  }
  const name = t(`mode.${mode}` as Key);
  return (
    <Popover
      class={`chip ${mode === "danger-full-access" ? "chip-danger" : ""}`}
      label={`${t("mode.title")}: ${name}`}
      testId="mode-chip"
      panelClass="menu-wide"
      trigger={
        <>
          <Icon name={SIGNS[mode]} small />
          <span class="chip-text">{name}</span>
          <Icon name="chevron-down" class="caret" />
        </>
      }
      panel={(close) =>
        MODES.map((each) => (
          <MenuItem
            key={each}
            icon={SIGNS[each]}
            chosen={each === mode}
            onSelect={() => {
              close();
              select(each);
            }}
          >
            <span class="grow">
              <span class={each === "danger-full-access" ? "danger" : ""}>
                {t(`mode.${each}` as Key)}
              </span>
              <span class="small quiet menu-note">{t(`mode.${each}.text` as Key)}</span>
            </span>
          </MenuItem>
        ))
      }
    />
  );
}
