/** The two questions that most parts ask: a name, and whether one is sure. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { composing } from "../keys/chord";
import type { DialogProps } from "./context";
import { DialogFrame } from "./dialog";

interface NameQuestion {
  title: string;
  value: string;
  save: (name: string) => void;
}

export function nameDialog({ title, value, save }: NameQuestion) {
  return function NameDialog({ close }: DialogProps) {
    const name = useSignal(value);
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => input.current?.select(), []);
    function submit() {
      const chosen = name.value.trim();
      if (!chosen) return;
      save(chosen);
      close();
    }
    return (
      <DialogFrame
        title={title}
        close={close}
        onSubmit={submit}
        foot={
          <>
            <button type="button" class="btn lg" onClick={close}>
              {t("dialog.cancel")}
            </button>
            <button type="submit" class="btn primary lg" disabled={!name.value.trim()}>
              {t("dialog.save")}
            </button>
          </>
        }
      >
        <div class="dialog-body">
          <label class="field">
            <span class="label">{t("dialog.name")}</span>
            <span class="input">
              <input
                ref={input}
                value={name.value}
                maxLength={200}
                onInput={(event) => {
                  name.value = event.currentTarget.value;
                }}
                onKeyDown={(event) => composing(event) && event.stopPropagation()}
              />
            </span>
          </label>
        </div>
      </DialogFrame>
    );
  };
}

interface SureQuestion {
  title: string;
  text: string;
  go: string;
  danger?: boolean;
  /** A box that must be ticked first. */
  check?: string;
  done: () => void;
}

export function sureDialog({ title, text, go, danger, check, done }: SureQuestion) {
  return function SureDialog({ close }: DialogProps) {
    const ticked = useSignal(!check);
    function submit() {
      if (!ticked.value) return;
      close();
      done();
    }
    return (
      <DialogFrame
        title={title}
        close={close}
        onSubmit={submit}
        foot={
          <>
            <button type="button" class="btn lg" onClick={close}>
              {t("dialog.cancel")}
            </button>
            <button
              type="submit"
              class={`btn lg ${danger ? "danger-solid" : "primary"}`}
              disabled={!ticked.value}
            >
              {go}
            </button>
          </>
        }
      >
        <div class="dialog-body">
          <p class="second">{text}</p>
          {check && (
            <label class="check">
              <input
                type="checkbox"
                checked={ticked.value}
                onChange={(event) => {
                  ticked.value = event.currentTarget.checked;
                }}
              />
              <span>{check}</span>
            </label>
          )}
        </div>
      </DialogFrame>
    );
  };
}
