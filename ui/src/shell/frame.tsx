/** The window: title row, sidebar or rail, the place one is at, status bar, overlays. */

import { slots } from "../slots/slots";
import { Fence, Keyed, List } from "../slots/views";
import { useApp, useScreen } from "../parts/context";
import { LinkBanner, SafeModeBanner } from "./banners";
import { BootScreen, mustShowBoot } from "./bootscreen";
import { Rail } from "./rail";
import { SettingsSidebar } from "../settings/sidebar";
import { Sidebar } from "./sidebar";
import { StatusBar } from "./statusbar";
import { TitleBar } from "./titlebar";

export function Frame() {
  const screen = useScreen();
  const app = useApp();
  const place = app.nav.place.value;
  if (mustShowBoot(app, screen)) return <BootScreen />;
  const settings = place.at === "settings";
  const rail = screen.rail.value && !settings;
  return (
    <>
      <div class={`frame ${rail ? "is-rail" : ""} ${settings ? "keep-side" : ""}`}>
        <Fence name="titlebar">
          <TitleBar />
        </Fence>
        <Fence name="sidebar">{settings ? <SettingsSidebar /> : rail ? <Rail /> : <Sidebar />}</Fence>
        <main class="main" id="main" tabIndex={-1}>
          <LinkBanner />
          <SafeModeBanner />
          <Keyed slot={slots.place} name={place.at} with={{}} />
        </main>
        <Fence name="statusbar">
          <StatusBar />
        </Fence>
      </div>
      <List slot={slots.overlay} with={{}} />
    </>
  );
}
