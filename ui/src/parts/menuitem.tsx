/** One line of a menu. */

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../icons/icon";

interface MenuItemProps {
  icon?: IconName;
  /** Given for choices: whether this one is chosen. */
  chosen?: boolean;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ComponentChildren;
}

export function MenuItem(props: MenuItemProps) {
  const { icon, chosen, danger, disabled, onSelect, children } = props;
  const choice = chosen !== undefined;
  return (
    <button
      type="button"
      role={choice ? "menuitemradio" : "menuitem"}
      aria-checked={choice ? chosen : undefined}
      tabIndex={-1}
      disabled={disabled ?? false}
      class={`menu-item ${chosen ? "cur" : ""} ${danger ? "danger" : ""}`}
      onClick={onSelect}
    >
      {icon && <Icon name={icon} />}
      {children}
      {chosen && <Icon name="check" small class="menu-check" />}
    </button>
  );
}
