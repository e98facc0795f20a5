/** A folder browser of our own, for the page in a browser: the host lists, we choose. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../core/app";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { IconButton } from "../parts/buttons";
import type { DialogProps } from "../parts/context";
import { DialogFrame } from "../parts/dialog";
import { onListKeys } from "../shell/roving";
import type { DirectoryListing } from "../wire";

export function folderDialog(app: App, done: (path: string | null) => void) {
  let answered = false;
  const answer = (path: string | null) => {
    if (!answered) done(path);
    answered = true;
  };
  return function FolderDialog({ close }: DialogProps) {
    const listing = useSignal<DirectoryListing | null>(null);
    const problem = useSignal<string | null>(null);
    const typed = useSignal("");
    const hidden = useSignal(false);
    const list = useRef<HTMLDivElement>(null);

    async function go(path?: string) {
      try {
        const found = await app.api.call("host/listDirectory", path ? { path } : {});
        listing.value = found;
        typed.value = found.path;
        problem.value = null;
        list.current?.scrollTo(0, 0);
      } catch (error) {
        problem.value = error instanceof Error ? error.message : String(error);
      }
    }
    useEffect(() => {
      void go();
      return () => answer(null);
    }, []);

    function submit() {
      const here = listing.value;
      if (!here) return;
      if (typed.value.trim() !== here.path) return void go(typed.value.trim());
      answer(here.path);
      close();
    }

    const here = listing.value;
    const shown = here?.entries.filter((entry) => hidden.value || !entry.hidden) ?? [];
    return (
      <DialogFrame
        title={t("folder.title")}
        close={close}
        class="folder-dialog"
        onSubmit={submit}
        foot={
          <>
            <label class="check grow">
              <input
                type="checkbox"
                checked={hidden.value}
                onChange={(event) => {
                  hidden.value = event.currentTarget.checked;
                }}
              />
              <span>{t("folder.hidden")}</span>
            </label>
            <button type="button" class="btn lg" onClick={close}>
              {t("dialog.cancel")}
            </button>
            <button type="submit" class="btn primary lg" disabled={!here} data-testid="use-folder">
              {t("folder.choose")}
            </button>
          </>
        }
      >
        <div class="folder-path">
          <IconButton
            icon="arrow-up"
            label={t("folder.up")}
            disabled={!here?.parent}
            onClick={() => here?.parent && void go(here.parent)}
          />
          <IconButton
            icon="hard-drive"
            label={t("folder.home")}
            onClick={() => void go(here?.home)}
          />
          <span class="input grow">
            <input
              class="mono"
              aria-label={t("folder.path")}
              data-testid="folder-path"
              value={typed.value}
              spellcheck={false}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
          </span>
        </div>
        {problem.value && <p class="hint danger folder-note">{problem.value}</p>}
        <div class="folder-list" ref={list} onKeyDown={onListKeys}>
          {shown.map((entry) => (
            <button type="button" class="row" key={entry.path} onClick={() => void go(entry.path)}>
              <Icon name="folder" />
              <span class="trunc grow">{entry.name}</span>
              <Icon name="chevron-right" class="caret" />
            </button>
          ))}
          {here && !shown.length && <p class="hint folder-note">{t("folder.empty")}</p>}
          {here?.truncated && <p class="hint folder-note">{t("folder.truncated")}</p>}
        </div>
      </DialogFrame>
    );
  };
}
