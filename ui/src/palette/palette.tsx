/** The palette: commands, sessions and settings pages by name. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { composing } from "../keys/chord";
import { type Screen, useScreen } from "../parts/context";
import { DialogFrame } from "../parts/dialog";
import { Keys } from "../parts/keys";
import { Dot } from "../parts/dot";
import { type Entry, entries } from "./entries";

export function Palette() {
  const screen = useScreen();
  const start = screen.palette.value;
  return start === null ? null : <PaletteDialog screen={screen} start={start} />;
}

function PaletteDialog({ screen, start }: { screen: Screen; start: string }) {
  const query = useSignal(start);
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = entries(screen, query.value);
  const current = Math.min(at.value, found.length - 1);

  useEffect(() => {
    list.current?.querySelector(".cur")?.scrollIntoView({ block: "nearest" });
  }, [current]);

  const close = () => {
    screen.palette.value = null;
  };
  function run(entry: Entry | undefined) {
    if (!entry) return;
    close();
    // After the dialog gave the focus back, so that the target may take it.
    setTimeout(entry.run);
  }
  function onKey(event: KeyboardEvent) {
    if (composing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      at.value = (current + step + found.length) % found.length;
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[current]);
    }
  }

  let group = "";
  return (
    <DialogFrame title={t("palette.label")} close={close} class="palette" bare>
      <div class="palette-head">
        <Icon name="search" />
        <input
          class="grow"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[current] ? `p-${found[current].id}` : undefined}
          aria-label={t("palette.label")}
          placeholder={t("bar.palette")}
          data-testid="palette"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKey}
        />
        <span class="small quiet hide-narrow">
          <code>&gt;</code> {t("palette.hintCommands")} <code>@</code> {t("palette.hintSessions")}
        </span>
      </div>
      <div class="palette-list" id="palette-list" role="listbox" ref={list}>
        {!found.length && <p class="hint palette-none">{t("palette.none")}</p>}
        {found.map((entry, place) => {
          const head = entry.group === group ? null : entry.group;
          group = entry.group;
          return (
            <div key={entry.id} role="presentation">
              {head && <div class="menu-head">{head}</div>}
              <PaletteRow entry={entry} chosen={place === current} run={() => run(entry)} />
            </div>
          );
        })}
      </div>
      <div class="palette-foot small quiet">
        <Keys chord="arrowup" />
        <Keys chord="arrowdown" />
        {t("palette.move")}
        <Keys chord="enter" />
        {t("palette.run")}
        <span class="grow" />
        <Keys chord="escape" />
        {t("palette.close")}
      </div>
    </DialogFrame>
  );
}

interface PaletteRowProps {
  entry: Entry;
  chosen: boolean;
  run: () => void;
}

function PaletteRow({ entry, chosen, run }: PaletteRowProps) {
  return (
    <div
      id={`p-${entry.id}`}
      role="option"
      aria-selected={chosen}
      tabIndex={-1}
      class={`menu-item palette-row ${chosen ? "cur" : ""}`}
      onClick={run}
      onKeyDown={undefined}
    >
      {entry.mark ? <Dot kind={entry.mark} /> : entry.icon && <Icon name={entry.icon} />}
      <span class="trunc grow">
        <Marked text={entry.title} spans={entry.spans} />
      </span>
      {entry.note && <span class="small quiet">{entry.note}</span>}
      <Keys chord={entry.keys} />
    </div>
  );
}

function Marked({ text, spans }: { text: string; spans: [number, number][] }) {
  const parts: preact.ComponentChild[] = [];
  let from = 0;
  for (const [start, end] of spans) {
    if (start < from) continue;
    parts.push(text.slice(from, start), <mark key={start}>{text.slice(start, end)}</mark>);
    from = end;
  }
  parts.push(text.slice(from));
  return <>{parts}</>;
}
