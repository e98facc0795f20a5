/** Showing what slots hold; a part that throws takes nothing else with it. */

import { Component, type ComponentType } from "preact";
import { t } from "../i18n";
import type { ChainSlot, KeyedSlot, ListSlot, SingleSlot } from "./registry";

interface FenceProps {
  name: string;
  children: preact.ComponentChildren;
}

export class Fence extends Component<FenceProps, { error: unknown }> {
  override state = { error: null as unknown };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown) {
    console.error(`part ${this.props.name}`, error);
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div class="part-failed" role="alert">
        <span class="grow">
          {t("part.failed")} <code>{this.props.name}</code>{" "}
          <span class="quiet">{String(error)}</span>
        </span>
        <button type="button" class="btn sm" onClick={() => this.setState({ error: null })}>
          {t("part.again")}
        </button>
      </div>
    );
  }
}

function fenced<P extends object>(id: string, View: ComponentType<P>, props: P) {
  return (
    <Fence name={id} key={id}>
      <View {...props} />
    </Fence>
  );
}

type Of<S, P> = { slot: S; with: P };

export function Single<P extends object>({ slot, with: props }: Of<SingleSlot<P>, P>) {
  const entry = slot.winner;
  return entry ? fenced(entry.id, entry.view, props) : null;
}

export function List<P extends object>({ slot, with: props }: Of<ListSlot<P>, P>) {
  return <>{slot.entries.value.map((entry) => fenced(entry.id, entry.view, props))}</>;
}

export function Keyed<P extends object>(at: Of<KeyedSlot<P>, P> & { name: string }) {
  const entry = at.slot.of(at.name);
  return entry ? fenced(entry.id, entry.view, at.with) : null;
}

export function Chain<P extends object>({ slot, with: props }: Of<ChainSlot<P>, P>) {
  const entry = slot.first(props);
  return entry ? fenced(entry.id, entry.view, props) : null;
}
