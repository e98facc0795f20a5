/** The title row: brand, where one is, the way to everything. */

import { t } from "../i18n";
import { Icon, type IconName, Mark } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import { useApp, useScreen } from "../parts/context";
import { Keys } from "../parts/keys";
import { slots } from "../slots/slots";
import { List } from "../slots/views";
import { settingsTitle } from "../settings/pages";

export function TitleBar() {
  const app = useApp();
  const screen = useScreen();
  const { nav, prefs } = app;
  return (
    <header class="bar">
      <div class="bar-left">
        <span class="icon-btn" title={t("app.name")}>
          <Mark />
        </span>
        <strong class="bar-name hide-narrow">{t("app.name")}</strong>
        {!screen.narrow.value && (
          <IconButton
            icon="panel-left"
            label={t("bar.sidebar")}
            onClick={() => prefs.set("rail", !prefs.get("rail", false))}
          />
        )}
      </div>
      <IconButton
        icon="arrow-left"
        label={t("bar.back")}
        disabled={!nav.canBack.value}
        onClick={() => nav.back()}
      />
      <IconButton
        icon="arrow-right"
        label={t("bar.forward")}
        disabled={!nav.canForward.value}
        onClick={() => nav.forward()}
      />
      <Crumb />
      <List slot={slots.barAction} with={{}} />
      <button
        type="button"
        class="chip outline bar-palette"
        aria-label={t("bar.palette")}
        onClick={() => {
          screen.palette.value = "";
        }}
      >
        <Icon name="search" small />
        <span class="quiet hide-narrow">{t("bar.palette")}</span>
        <Keys chord={screen.commands.keysOf("palette")} />
      </button>
    </header>
  );
}

function Crumb() {
  const app = useApp();
  const place = app.nav.place.value;
  const { sessions, workspaces } = app.host;
  const titleOf = (id: string | null | undefined) =>
    workspaces.value.find((w) => w.workspaceId === id)?.title;
  switch (place.at) {
    case "session": {
      const session = sessions.value.get(place.sessionId);
      const parent = titleOf(session?.workspaceId) ?? t("side.noWorkspace");
      const waiting = session?.status === "waiting";
      const title = session?.title ?? t("side.untitled");
      return <Path icon="folder" parent={parent} title={title} waiting={waiting} heading />;
    }
    case "settings":
      return <Path icon="settings" parent={t("settings.title")} title={settingsTitle(place.page)} />;
    case "inbox":
      return <Path icon="inbox" title={t("inbox.title")} />;
    default: {
      const title = titleOf(place.workspaceId ?? app.prefs.get("workspace", "")) ?? t("bar.noFolder");
      return <Path icon="square-pen" parent={t("bar.newSession")} title={title} heading />;
    }
  }
}

interface PathProps {
  icon: IconName;
  parent?: string;
  title: string;
  waiting?: boolean;
  /** The page below has no heading of its own. */
  heading?: boolean;
}

function Path({ icon, parent, title, waiting, heading }: PathProps) {
  const Title = heading ? "h1" : "span";
  return (
    <div class="crumb">
      <Icon name={icon} />
      {parent && (
        <>
          <span class="second crumb-parent trunc">{parent}</span>
          <Icon name="chevron-right" class="caret" />
        </>
      )}
      <Title class="crumb-title trunc" title={title}>
        {title}
      </Title>
      {waiting && <span class="tag warn hide-narrow">{t("bar.waiting")}</span>}
    </div>
  );
}
