/** A session: its transcript, the docks over the message field, the field. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Item, isGroup, itemsOf } from "../core/items";
import type { SessionStore } from "../core/session";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";
import { type SessionProps, slots } from "../slots/slots";
import { Chain, Fence, List } from "../slots/views";
import { ItemView } from "./item";
import { Announcer } from "./announcer";
import { Pending } from "./pending";
import { Virtual, type VirtualHandle } from "./virtual";

export function ConversationPlace() {
  const app = useApp();
  const place = app.nav.place.value;
  if (place.at !== "session") return null;
  return <Conversation key={place.sessionId} store={app.session(place.sessionId)} />;
}

function Conversation({ store }: SessionProps) {
  const app = useApp();
  const unseen = app.host.sessions.value.get(store.id)?.unseen ?? false;
  useEffect(() => {
    if (!unseen) return;
    const mark = () => {
      if (document.visibilityState !== "visible") return;
      void app.api.call("session/markSeen", { sessionId: store.id }).catch(() => undefined);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [unseen]);
  useEffect(() => app.prefs.set("lastSession", store.id), [store.id]);
  return (
    <>
      {store.notice.value && (
        <div class="banner warn" role="status">
          <Icon name="triangle-alert" />
          <span class="grow">{store.notice.value}</span>
        </div>
      )}
      <Fence name="transcript">
        <Log store={store} />
      </Fence>
      <Docks store={store} />
    </>
  );
}

function Docks({ store }: SessionProps) {
  return (
    <div class="docks">
      <div class="docks-in">
        <List slot={slots.dock} with={{ store }} />
        <Chain slot={slots.composer} with={{ store }} />
      </div>
    </div>
  );
}

function Log({ store }: SessionProps) {
  const transcript = store.transcript.value;
  const shape = transcript.structure.value;
  const items = useMemo(() => itemsOf(transcript.rows, transcript.turn), [transcript, shape]);
  const handle = useRef<VirtualHandle | null>(null);
  const scroller = useRef<HTMLDivElement | null>(null);
  const atEnd = useSignal(!store.scroll);
  useEffect(
    () => () => {
      store.scroll = handle.current?.anchor() ?? null;
    },
    [],
  );
  const sent = store.pending.value.length > 0;
  useLayoutEffect(() => {
    // Who asks something new wants to see the answer; who queues goes on reading.
    if (sent && store.live.peek().status === "idle") handle.current?.toEnd();
  }, [sent]);
  if (store.unavailable.value) {
    return (
      <div class="log-loading" role="alert">
        <p class="danger medium">{t("log.unavailable")}</p>
        <p class="second">{store.unavailable.value}</p>
      </div>
    );
  }
  if (!store.ready.value) return <Loading />;
  return (
    <div class="log-frame">
      <div
        class="log"
        role="log"
        aria-live="off"
        aria-label={t("log.label")}
        data-testid="transcript"
        data-status={store.live.value.status}
        id="transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard
        tabIndex={0}
        onKeyDown={(event) => onTurnKeys(event, items, handle.current, scroller.current)}
      >
        <Virtual
          items={items}
          handle={handle}
          scroller={scroller}
          start={store.scroll}
          nearTop={() => void store.loadOlder().catch(() => undefined)}
          following={(yes) => {
            atEnd.value = yes;
          }}
          render={(item) => <ItemView item={item} store={store} />}
          head={<Older store={store} />}
          tail={<Pending store={store} />}
        />
      </div>
      <Announcer store={store} />
      {!atEnd.value && (
        <button type="button" class="btn jump" onClick={() => handle.current?.toEnd()}>
          <Icon name="arrow-down" small />
          {t("log.latest")}
        </button>
      )}
    </div>
  );
}

function Loading() {
  return (
    <div class="log-loading" role="status">
      <span class="sr">{t("log.loading")}</span>
      <div class="skeleton wide" />
      <div class="skeleton" />
      <div class="skeleton half" />
    </div>
  );
}

function Older({ store }: { store: SessionStore }) {
  const app = useApp();
  const busy = store.loading.value;
  if (!store.hasMore.value) return null;
  return (
    <div class="log-older">
      <button
        type="button"
        class="btn ghost sm"
        disabled={busy}
        onClick={() => void app.attempt(() => store.loadOlder())}
      >
        {t(busy ? "log.loadingOlder" : "log.older")}
      </button>
    </div>
  );
}

/** Alt and an arrow: to the previous or next message of the person. */
function onTurnKeys(
  event: KeyboardEvent,
  items: Item[],
  handle: VirtualHandle | null,
  view: HTMLElement | null,
): void {
  if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
  event.preventDefault();
  const turns = items.filter((item) => !isGroup(item) && item.row.kind === "user");
  const here = handle?.anchor();
  const at = here ? items.findIndex((item) => item.key === here.key) : items.length;
  const before = event.key === "ArrowUp";
  const offset = (here?.offset ?? 0) > 4 ? 0 : 1;
  const target = before
    ? turns.findLast((item) => items.indexOf(item) < at + 1 - offset)
    : turns.find((item) => items.indexOf(item) > at);
  if (target) handle?.toItem(target.key);
  else if (!before) handle?.toEnd();
  view?.focus({ preventScroll: true });
}
