/** Messages that wait: visible, editable, removable, in order. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { composing } from "../keys/chord";
import { IconButton } from "../parts/buttons";
import { useApp } from "../parts/context";
import { Keys } from "../parts/keys";
import type { SessionStore } from "../core/session";
import type { SessionProps } from "../slots/slots";
import type { QueueItem } from "../wire";

export function QueueDock({ store }: SessionProps) {
  const app = useApp();
  const { nextTurn, nextStep } = store.queue.value;
  if (!nextTurn.length && !nextStep.length) return null;
  const idle = store.live.value.status === "idle";
  const n = nextTurn.length;
  return (
    <section class="dock" data-testid="queue">
      {nextStep.map((item) => (
        <QueueRow key={item.id} item={item} store={store} joins />
      ))}
      {n > 0 && (
        <div class="dock-row queue-head">
          <span class="small quiet grow">{t(idle ? "queue.held" : "queue.count", { n })}</span>
          {idle ? (
            <button
              type="button"
              class="btn sm"
              onClick={() =>
                app.attempt(() => app.api.call("session/resumeQueue", { sessionId: store.id }))
              }
            >
              {t("queue.resume")}
            </button>
          ) : (
            <Keys chord="mod+enter" />
          )}
        </div>
      )}
      <div class="dock-scroll">
        {nextTurn.map((item) => (
          <QueueRow key={item.id} item={item} store={store} />
        ))}
      </div>
    </section>
  );
}

/** Change one waiting message; the host answers with the whole queue. */
export async function changeQueue(
  app: ReturnType<typeof useApp>,
  store: SessionStore,
  itemId: string,
  action: "edit" | "remove" | "steer",
  text?: string,
): Promise<void> {
  const request = { sessionId: store.id, itemId, action, ...(text === undefined ? {} : { text }) };
  await app.attempt(async () => {
    store.queue.value = await app.api.call("session/updateQueue", request);
  });
}

interface QueueRowProps {
  item: QueueItem;
  store: SessionStore;
  joins?: boolean;
}

function QueueRow({ item, store, joins }: QueueRowProps) {
  const app = useApp();
  const draft = useSignal<string | null>(null);
  const change = (action: "edit" | "remove" | "steer", text?: string) =>
    void changeQueue(app, store, item.id, action, text);

  function save() {
    const text = draft.peek()?.trim();
    draft.value = null;
    if (text && text !== item.text) change("edit", text);
  }
  function onKey(event: KeyboardEvent) {
    if (composing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      save();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      draft.value = null;
    }
  }

  const area = useRef<HTMLTextAreaElement>(null);
  const editing = draft.value !== null;
  useEffect(() => area.current?.focus(), [editing]);

  if (draft.value !== null) {
    return (
      <div class="dock-row">
        <Icon name="corner-down-right" />
        <span class="input grow">
          <textarea
            rows={Math.min(4, draft.value.split("\n").length)}
            aria-label={t("queue.edit")}
            value={draft.value}
            ref={area}
            onInput={(event) => {
              draft.value = event.currentTarget.value;
            }}
            onKeyDown={onKey}
          />
        </span>
        <button type="button" class="btn sm" onClick={save}>
          {t("queue.save")}
        </button>
      </div>
    );
  }
  return (
    <div class="dock-row" data-testid="queue-row">
      <Icon name={joins ? "corner-right-up" : "corner-down-right"} />
      <span class="trunc grow" title={item.text}>
        {item.text}
      </span>
      {joins && <span class="tag">{t("queue.steering")}</span>}
      <span class="dock-tools">
        <IconButton
          icon="pencil"
          small
          label={t("queue.edit")}
          onClick={() => {
            draft.value = item.text;
          }}
        />
        <IconButton icon="trash-2" small label={t("queue.remove")} onClick={() => change("remove")} />
        {!joins && (
          <button type="button" class="btn ghost sm" onClick={() => change("steer")}>
            <Icon name="corner-right-up" small />
            {t("queue.sendNow")}
          </button>
        )}
      </span>
    </div>
  );
}
