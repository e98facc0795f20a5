/** The shortcut sheet as a page. */

import { t } from "../i18n";
import { KeyGroups } from "../palette/sheet";
import { Page } from "./place";

export function ShortcutsPage() {
  return (
    <Page title={t("settings.shortcuts")}>
      <div class="sheet-body">
        <KeyGroups />
      </div>
    </Page>
  );
}
