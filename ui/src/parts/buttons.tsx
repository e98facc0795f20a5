/** Small buttons that many parts share. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { Icon, type IconName } from "../icons/icon";

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  small?: boolean;
  on?: boolean;
  disabled?: boolean;
  class?: string;
  children?: ComponentChildren;
  id?: string;
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, onClick, small, on, disabled, children } = props;
  return (
    <button
      type="button"
      class={`icon-btn ${small ? "sm" : ""} ${on ? "on" : ""} ${props.class ?? ""}`}
      aria-label={label}
      title={label}
      disabled={disabled ?? false}
      data-testid={props.id}
      onClick={onClick}
    >
      <Icon name={icon} small={small ?? false} />
      {children}
    </button>
  );
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Some web views offer no clipboard object.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function CopyButton({ text, label }: { text: () => string; label?: string }) {
  const done = useSignal(false);
  async function copy() {
    await copyText(text());
    done.value = true;
    setTimeout(() => {
      done.value = false;
    }, 1500);
  }
  const name = done.value ? t("row.copied") : (label ?? t("row.copy"));
  return <IconButton icon={done.value ? "check" : "copy"} label={name} small onClick={copy} />;
}
