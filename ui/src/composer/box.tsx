/**
 * The message field: grows with its text, keeps its draft, and sends once.
 *
 * Enter during composition belongs to the input method; a held Enter sends one message.
 */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { composing } from "../keys/chord";
import { useApp, useScreen } from "../parts/context";

export interface ComposerBoxProps {
  /** Whose draft this is. */
  draft: string;
  placeholder: string;
  busy?: boolean;
  /** One line, without chips: something else is asked right now. */
  compact?: boolean;
  disabled?: string | null;
  left?: ComponentChildren;
  right?: ComponentChildren;
  /** Resolves to false when nothing was sent; the text then comes back. */
  send: (text: string, steer: boolean) => Promise<boolean>;
  stop?: () => void;
  /** Ctrl+Enter with nothing written. */
  steerQueue?: () => void;
  hint?: string | null;
}

const MOST_HEIGHT = 260;

export function ComposerBox(props: ComposerBoxProps) {
  const { busy = false, compact = false } = props;
  const app = useApp();
  const screen = useScreen();
  const area = useRef<HTMLTextAreaElement>(null);
  const name = `draft:${props.draft}`;
  const text = useSignal(app.prefs.peek<string>(name, ""));
  const empty = !text.value.trim();

  function write(value: string) {
    text.value = value;
    app.prefs.keep(name, value || null);
  }

  useEffect(() => {
    text.value = app.prefs.peek(name, "");
  }, [name, app.prefs.loaded.value]);

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(MOST_HEIGHT, element.scrollHeight)}px`;
  }, [text.value, compact]);

  const fresh = useRef(true);
  useEffect(() => {
    // A question that is already open keeps the focus that it took.
    const yields = fresh.current && compact;
    fresh.current = false;
    if (!props.disabled && !yields) area.current?.focus({ preventScroll: true });
  }, [screen.focusComposer.value, name]);

  async function send(steer: boolean) {
    const written = text.peek();
    if (!written.trim()) {
      if (steer) props.steerQueue?.();
      return;
    }
    write("");
    const went = await props.send(written.trim(), steer).catch((error: unknown) => {
      app.fail(error);
      return false;
    });
    if (!went && !text.peek()) write(written);
  }

  function onKey(event: KeyboardEvent) {
    if (composing(event) || event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) void send(event.ctrlKey || event.metaKey);
  }

  return (
    <div class={`composer ${compact ? "compact" : ""}`}>
      <textarea
        ref={area}
        rows={1}
        class="composer-text"
        data-testid="composer"
        aria-label={t("composer.label")}
        placeholder={props.disabled ?? props.placeholder}
        disabled={!!props.disabled}
        value={text.value}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="composer-bar">
        {!compact && props.left}
        <span class="grow small quiet composer-hint" role="status">
          {props.hint}
        </span>
        {!compact && props.right}
        {(!busy || !empty) && (
          <button
            type="button"
            class="send"
            data-testid="send"
            disabled={empty || !!props.disabled}
            aria-label={t(busy ? "composer.queue" : "composer.send")}
            title={t(busy ? "composer.queue" : "composer.send")}
            onClick={() => void send(false)}
          >
            <Icon name="arrow-up" />
          </button>
        )}
        {busy && props.stop && (
          <button
            type="button"
            class="send stop"
            data-testid="stop"
            aria-label={t("composer.stop")}
            title={`${t("composer.stop")} (Esc Esc)`}
            onClick={props.stop}
          >
            <Icon name="square" small />
          </button>
        )}
      </div>
    </div>
  );
}
