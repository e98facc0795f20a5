/** The commands of the frame: keys, palette and sheet come from here. */

import { batch } from "@preact/signals-core";
import { escapePressed, runningHere } from "../composer/stop";
import type { Screen } from "../parts/context";
import { newSession, nextWaiting, openFolderAndStart, openSession, renameSession } from "./actions";
import { sidebarOrder } from "./order";
import { movePane } from "./panes";

export function addCommands(screen: Screen): void {
  const { app, commands } = screen;
  const here = () => {
    const place = app.nav.place.peek();
    return place.at === "session" ? app.host.sessions.peek().get(place.sessionId) : undefined;
  };
  commands.add(
    {
      id: "palette",
      title: "keys.palette",
      group: "general",
      keys: ["mod+k"],
      hidden: true,
      run: () => {
        screen.palette.value = screen.palette.peek() === null ? "" : null;
      },
    },
    {
      id: "sheet",
      title: "keys.sheet",
      group: "general",
      icon: "keyboard",
      keys: ["mod+/"],
      run: () => {
        screen.sheet.value = true;
      },
    },
    {
      id: "new",
      title: "keys.new",
      group: "general",
      icon: "square-pen",
      keys: ["mod+n"],
      run: () => newSession(screen),
    },
    {
      id: "openFolder",
      title: "keys.openFolder",
      group: "general",
      icon: "folder-plus",
      keys: ["mod+o"],
      run: () => void openFolderAndStart(screen),
    },
    {
      id: "nextWaiting",
      title: "keys.nextWaiting",
      group: "general",
      icon: "inbox",
      keys: ["mod+j"],
      when: () => app.host.approvals.peek().length > 0,
      run: () => nextWaiting(screen),
    },
    {
      id: "sidebar",
      title: "keys.sidebar",
      group: "general",
      icon: "panel-left",
      keys: ["mod+b"],
      run: () => app.prefs.set("rail", !app.prefs.peek("rail", false)),
    },
    {
      id: "settings",
      title: "keys.settings",
      group: "general",
      icon: "settings",
      keys: ["mod+,"],
      run: () => app.nav.go({ at: "settings", page: "general" }),
    },
    { ...pane("nextPane", 1), keys: ["f6"] },
    { ...pane("previousPane", -1), keys: ["shift+f6"] },
    {
      id: "back",
      title: "keys.back",
      group: "general",
      icon: "arrow-left",
      keys: ["alt+arrowleft"],
      when: () => app.nav.canBack.peek(),
      run: () => app.nav.back(),
    },
    {
      id: "forward",
      title: "keys.forward",
      group: "general",
      icon: "arrow-right",
      keys: ["alt+arrowright"],
      when: () => app.nav.canForward.peek(),
      run: () => app.nav.forward(),
    },
    {
      id: "stop",
      title: "keys.stop",
      group: "session",
      keys: ["escape"],
      hidden: true,
      when: () => runningHere(screen) !== null,
      run: () => escapePressed(screen),
    },
    {
      id: "leaveSettings",
      title: "settings.back",
      group: "general",
      keys: ["escape"],
      hidden: true,
      when: () => app.nav.place.peek().at === "settings",
      run: () => app.nav.leaveSettings(),
    },
    {
      id: "composer",
      title: "keys.focusComposer",
      group: "session",
      icon: "pencil",
      keys: ["mod+l"],
      run: () => {
        screen.focusComposer.value++;
      },
    },
    {
      id: "rename",
      title: "keys.renameSession",
      group: "session",
      icon: "pencil",
      when: () => !!here(),
      run: () => renameSession(screen, here()!),
    },
    {
      id: "openWorkspace",
      title: "keys.openWorkspace",
      group: "session",
      icon: "folder-open",
      when: () => !!here(),
      run: () => void app.attempt(() => app.api.call("host/openPath", { path: here()!.cwd })),
    },
  );
  addChoices(screen);
  addBySlot(screen);
  addLocal(screen);

  function pane(id: "nextPane" | "previousPane", step: 1 | -1) {
    const title = id === "nextPane" ? "keys.nextPane" : "keys.previousPane";
    return { id, title, group: "general", hidden: true, run: () => movePane(step) } as const;
  }
}

function addChoices({ app, commands }: Screen): void {
  const theme = (id: string, value: string) => () => {
    batch(() => app.prefs.set(id, value));
  };
  const rest = { group: "general", icon: "sun-moon" } as const;
  commands.add(
    { id: "light", title: "keys.themeLight", ...rest, run: theme("theme", "light") },
    { id: "dark", title: "keys.themeDark", ...rest, run: theme("theme", "dark") },
    { id: "auto", title: "keys.themeSystem", ...rest, run: theme("theme", "system") },
    { id: "en", title: "keys.langEn", group: "general", run: theme("locale", "en") },
    { id: "zh", title: "keys.langZh", group: "general", run: theme("locale", "zh") },
  );
}

/** Ctrl 1…9: sessions in the order in which the sidebar shows them. */
function addBySlot(screen: Screen): void {
  for (let place = 1; place <= 9; place++) {
    screen.commands.add({
      id: `session${place}`,
      title: "keys.session",
      group: place === 1 ? "session" : "none",
      keys: [`mod+${place}`],
      hidden: true,
      run: () => {
        const session = sidebarOrder(screen.app)[place - 1];
        if (session) openSession(screen, session.sessionId);
      },
    });
  }
}

/** Keys that the parts with the focus handle; here for the sheet. */
function addLocal({ commands }: Screen): void {
  const local = { local: true } as const;
  commands.add(
    { id: "send", title: "keys.send", group: "session", keys: ["enter"], ...local },
    { id: "steer", title: "keys.steer", group: "session", keys: ["mod+enter"], ...local },
    { id: "newline", title: "keys.newline", group: "session", keys: ["shift+enter"], ...local },
    { id: "allow", title: "keys.allow", group: "approval", keys: ["a"], ...local },
    { id: "deny", title: "keys.deny", group: "approval", keys: ["d"], ...local },
  );
}
