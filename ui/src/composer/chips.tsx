/** The chips of a session's message field. */

import { useApp } from "../parts/context";
import type { SessionProps } from "../slots/slots";
import type { Mode } from "../wire";
import { ModeChip } from "./modechip";
import { ModelChip } from "./modelchip";

export function SessionMode({ store }: SessionProps) {
  const app = useApp();
  const session = app.host.sessions.value.get(store.id);
  if (!session) return null;
  const { sessionId } = session;
  return (
    <ModeChip
      mode={session.mode as Mode}
      choose={(mode) =>
        void app.attempt(async () => {
          app.host.put(await app.api.call("session/setMode", { sessionId, mode }));
        })
      }
    />
  );
}

export function SessionModel({ store }: SessionProps) {
  const app = useApp();
  const session = app.host.sessions.value.get(store.id);
  if (!session) return null;
  const { sessionId } = session;
  return (
    <ModelChip
      route={session.model ?? app.host.models.value?.current ?? null}
      choose={(route) =>
        void app.attempt(async () => {
          app.host.put(await app.api.call("session/selectModel", { sessionId, ...route }));
        })
      }
    />
  );
}
