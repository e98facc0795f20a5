/** The page of the settings that is open. */

import type { ComponentChildren } from "preact";
import { useApp } from "../parts/context";
import { slots } from "../slots/slots";
import { Keyed } from "../slots/views";

export function SettingsPlace() {
  const place = useApp().nav.place.value;
  if (place.at !== "settings") return null;
  return (
    <div class="pane-body" key={place.page}>
      <Keyed slot={slots.settings} name={place.page} with={{ id: place.page }} />
    </div>
  );
}

interface PageProps {
  title: string;
  lead?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Page({ title, lead, actions, children }: PageProps) {
  return (
    <div class="page">
      <div class="page-head">
        <div class="grow">
          <h1>{title}</h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions}
      </div>
      {children}
    </div>
  );
}
