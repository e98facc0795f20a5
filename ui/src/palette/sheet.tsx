/** The shortcut sheet, printed from the table that binds the keys. */

import { type Key, t } from "../i18n";
import { useScreen } from "../parts/context";
import { DialogFrame } from "../parts/dialog";
import { Keys } from "../parts/keys";

const GROUPS = ["general", "session", "approval"] as const;

export function Sheet() {
  const screen = useScreen();
  if (!screen.sheet.value) return null;
  const close = () => {
    screen.sheet.value = false;
  };
  return (
    <DialogFrame title={t("keys.title")} close={close} class="sheet">
      <div class="dialog-body sheet-body">
        <KeyGroups />
      </div>
    </DialogFrame>
  );
}

export function KeyGroups() {
  const { commands } = useScreen();
  return (
    <>
      {GROUPS.map((group) => (
        <section key={group}>
          <h3 class="menu-head">{t(`keys.group.${group}` as Key)}</h3>
          <dl class="sheet-list">
            {commands.all
              .filter((command) => command.group === group && command.keys?.length)
              .map((command) => (
                <div class="sheet-row" key={command.id}>
                  <dt>{t(command.title)}</dt>
                  <dd>
                    {command.keys?.slice(0, 2).map((chord) => (
                      <Keys key={chord} chord={chord} />
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </>
  );
}
