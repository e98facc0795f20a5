/** The page: its runtime, its parts, its keys, and one render. */

import { render } from "preact";
import { App } from "./core/app";
import { bindKeys } from "./keys/bind";
import { guardNavigation } from "./markdown/guard";
import { registerParts } from "./page";
import { Screen, ScreenContext } from "./parts/context";
import { addCommands } from "./shell/commands";
import { Frame } from "./shell/frame";
import { followFolders, restorePlace } from "./shell/restore";
import { followPreferences, nameWindow } from "./theme/theme";
import "./styles";

const app = new App();
const screen = new Screen(app);
followPreferences(app.facts, app.prefs);
nameWindow(app);
registerParts();
addCommands(screen);
bindKeys(screen.commands, () => document.querySelector("dialog[open]") !== null);
guardNavigation(app);
restorePlace(app);
followFolders(screen);
app.start();

const place = document.getElementById("app");
if (place) {
  render(
    <ScreenContext.Provider value={screen}>
      <Frame />
    </ScreenContext.Provider>,
    place,
  );
}
