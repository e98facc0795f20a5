/** A modal window: the browser's own dialog keeps focus inside and the rest inert. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { IconButton } from "./buttons";

interface DialogFrameProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  foot?: ComponentChildren;
  class?: string;
  onSubmit?: () => void;
  /** Without head: the content brings its own. */
  bare?: boolean;
}

const FIRST = "input:not([type=checkbox]), textarea, .dialog-foot button";

export function DialogFrame(props: DialogFrameProps) {
  const { title, close, children, foot, bare } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();

  // Before the next key arrives: what is typed at once must already land here.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const element = dialog.current;
    element?.showModal?.();
    element?.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      element?.close?.();
      if (before?.isConnected) before.focus();
    };
  }, []);

  function submit(event: Event) {
    event.preventDefault();
    props.onSubmit?.();
  }

  return (
    <dialog
      ref={dialog}
      class={`dialog ${props.class ?? ""}`}
      aria-label={bare ? title : undefined}
      aria-labelledby={bare ? undefined : heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <form class="dialog-in" onSubmit={submit}>
        {!bare && (
          <div class="dialog-head">
            <h2 id={heading}>{title}</h2>
            <IconButton icon="x" label={t("dialog.close")} onClick={close} />
          </div>
        )}
        {children}
        {foot && <div class="dialog-foot">{foot}</div>}
      </form>
    </dialog>
  );
}
