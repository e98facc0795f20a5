/** The start of a session: where, with what rights and model, and what to do. */

import { useSignal } from "@preact/signals";
import { hasNoModel } from "../core/models";
import { t } from "../i18n";
import { ComposerBox } from "../composer/box";
import { ModeChip } from "../composer/modechip";
import { ModelChip } from "../composer/modelchip";
import { useApp, useScreen, type Screen } from "../parts/context";
import { slots } from "../slots/slots";
import { List } from "../slots/views";
import { openFolder } from "../shell/actions";
import { stageMode, stagedMode, stagedWorkspace, unstageMode } from "./staged";
import { WorkspaceChip } from "./workspacechip";

/** Make the session (or use the folder's blank one) and send its first message. */
export async function beginSession(screen: Screen, text: string): Promise<boolean> {
  const { app } = screen;
  const workspace = stagedWorkspace(app) ?? (await openFolder(screen));
  if (!workspace) return false;
  const { workspaceId } = workspace;
  app.prefs.set("workspace", workspaceId);
  const mode = stagedMode(app);
  let session = await app.api.call("session/create", { workspaceId });
  const { sessionId } = session;
  if (session.mode !== mode) session = await app.api.call("session/setMode", { sessionId, mode });
  unstageMode();
  app.host.put(session);
  app.nav.replace({ at: "session", sessionId });
  await app.session(sessionId).send(text, "queue");
  return true;
}

export function Start() {
  const screen = useScreen();
  const app = useApp();
  const sending = useSignal(false);
  const { models } = app.host;
  const workspace = stagedWorkspace(app);

  async function send(text: string): Promise<boolean> {
    if (sending.peek()) return false;
    sending.value = true;
    try {
      return await beginSession(screen, text);
    } finally {
      sending.value = false;
    }
  }

  return (
    <div class="hero">
      <div>
        <h2 class="hero-title">{t("hero.title")}</h2>
        <p class="lead">{t("hero.lead")}</p>
      </div>
      <div class="hero-chips">
        <WorkspaceChip />
      </div>
      <ComposerBox
        draft="new"
        placeholder={t(
          workspace && !hasNoModel(models.value) ? "hero.placeholder" : "hero.placeholderNoFolder",
        )}
        send={send}
        left={<ModeChip mode={stagedMode(app)} choose={(mode) => stageMode(app, mode)} />}
        right={
          <ModelChip
            route={models.value?.current ?? null}
            choose={(route) =>
              void app.attempt(async () => {
                await app.api.call("model/setDefault", route);
                await app.host.loadModels();
              })
            }
          />
        }
      />
      <List slot={slots.heroPanel} with={{}} />
    </div>
  );
}
