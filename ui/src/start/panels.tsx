/** What stands below the first message: model setup, recent sessions, the menu entry. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { markOf } from "../core/grouping";
import { hasNoModel, hostOf } from "../core/models";
import { t } from "../i18n";
import { ago, list } from "../i18n/format";
import { Icon } from "../icons/icon";
import { everyMinute } from "../parts/clock";
import { useApp, useScreen } from "../parts/context";
import { Dot } from "../parts/dot";
import { useLocalServer } from "../settings/local";
import { openSession } from "../shell/actions";
import type { LocalServer } from "../wire";
import { stagedWorkspace } from "./staged";
import { beginSession } from "./start";

const TRIES = ["tour", "run git status", "find TODO"];

export function NoModelPanel() {
  const app = useApp();
  const { models, description } = app.host;
  const servers = useSignal<LocalServer[] | null>(null);
  const none = hasNoModel(models.value);

  async function look() {
    servers.value = null;
    await app.api
      .call("model/local", {})
      .then((found) => {
        servers.value = found.servers;
      })
      .catch(() => {
        servers.value = [];
      });
  }
  useEffect(() => {
    if (none) void look();
  }, [none]);
  if (!none) return null;
  const keyring = description.value?.credentialStore !== "file";
  return (
    <section class="no-model" aria-label={t("hero.noModel")}>
      <div class="section-head">
        <h2>{t("hero.noModel")}</h2>
        <span class="quiet small grow">{t("hero.noModelHint")}</span>
      </div>
      <LocalServers servers={servers.value} look={() => void look()} />
      <div class="ways">
        <div class="card way">
          <h3 class="hstack">
            <Icon name="key-round" small />
            {t("hero.addKey")}
          </h3>
          <p>{t(keyring ? "hero.addKeyText" : "hero.addKeyTextFile")}</p>
          <div>
            <button
              type="button"
              class="btn"
              onClick={() => app.nav.go({ at: "settings", page: "models" })}
            >
              {t("hero.addProvider")}
            </button>
          </div>
        </div>
        <Guide />
      </div>
    </section>
  );
}

function Guide() {
  const screen = useScreen();
  const { app } = screen;
  return (
    <div class="card way">
      <h3 class="hstack">
        <Icon name="compass" small />
        {t("hero.guide")}
        <span class="tag outline">{t("hero.notAModel")}</span>
      </h3>
      <p>{t("hero.guideText")}</p>
      <div class="try">
        {TRIES.map((text) => (
          <button
            type="button"
            key={text}
            class="chip outline"
            onClick={() => void app.attempt(() => beginSession(screen, text))}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

interface LocalServersProps {
  servers: LocalServer[] | null;
  look: () => void;
}

function LocalServers({ servers, look }: LocalServersProps) {
  const adopt = useLocalServer();
  return (
    <div class="card way found">
      {servers === null && (
        <div class="found-row">
          <Dot kind="pending" word="" />
          <span class="second">{t("hero.looking")}</span>
        </div>
      )}
      {servers?.length === 0 && (
        <div class="found-row">
          <Dot kind="off" word="" />
          <span class="second grow">{t("hero.noneFound")}</span>
          <button type="button" class="btn ghost" onClick={look}>
            {t("hero.checkAgain")}
          </button>
        </div>
      )}
      {servers?.map((server) => (
        <div class="found-row" key={server.baseUrl}>
          <Dot kind="ok" />
          <span class="medium">{server.label}</span>
          <span class="mono small quiet">{hostOf(server.baseUrl)}</span>
          <span class="small second trunc grow">{modelsOf(server)}</span>
          {server.models[0] ? (
            <button type="button" class="btn primary" onClick={() => void adopt(server)}>
              {t("hero.use", { model: server.models[0] })}
            </button>
          ) : (
            <button type="button" class="btn ghost" onClick={look}>
              {t("hero.checkAgain")}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function modelsOf({ models }: LocalServer): string {
  if (!models.length) return t("hero.noModelLoaded");
  const names = list([...models.slice(0, 2), ...(models.length > 2 ? ["…"] : [])]);
  return t("hero.modelsHere", { n: models.length, names });
}

export function RecentPanel() {
  const app = useApp();
  const screen = useScreen();
  const workspace = stagedWorkspace(app);
  if (hasNoModel(app.host.models.value)) return null;
  const recent = [...app.host.sessions.value.values()]
    .filter((s) => !s.blank && (!workspace || s.workspaceId === workspace.workspaceId))
    .sort((a, b) => b.updated - a.updated)
    .slice(0, 4);
  if (!recent.length) return null;
  return (
    <section class="recent" aria-label={t("hero.recent")}>
      <div class="section-head">
        <h2>{t("hero.recent")}</h2>
      </div>
      {recent.map((session) => (
        <button
          type="button"
          class="row"
          key={session.sessionId}
          onClick={() => openSession(screen, session.sessionId)}
        >
          <Dot kind={markOf(session)} />
          <span class="trunc grow">{session.title ?? t("side.untitled")}</span>
          <span class="meta">{ago(session.updated, everyMinute.value)}</span>
        </button>
      ))}
    </section>
  );
}

/** Offers to put the program among the desktop's applications, once. */
export function DesktopEntryPanel() {
  const app = useApp();
  const { description } = app.host;
  const absent = description.value?.desktopEntry === "absent";
  if (!absent || app.prefs.get<string>("desktopEntry", "") === "later") return null;
  async function install() {
    await app.api.call("host/installDesktopEntry", {});
    const now = description.peek();
    if (now) description.value = { ...now, desktopEntry: "installed" };
    app.host.toast({ level: "info", message: t("hero.desktopEntryDone") });
  }
  return (
    <section class="offer">
      <Icon name="download" small />
      <span class="grow small second">{t("hero.desktopEntry")}</span>
      <button type="button" class="btn sm" onClick={() => void app.attempt(install)}>
        {t("hero.desktopEntryAdd")}
      </button>
      <button
        type="button"
        class="btn ghost sm"
        onClick={() => app.prefs.set("desktopEntry", "later")}
      >
        {t("hero.desktopEntryLater")}
      </button>
    </section>
  );
}
