/**
 * A list that draws only what is near the view.
 *
 * The view keeps its place by the first visible item, whatever happens above it, and
 * follows the end only while it is at the end.
 */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { nextFrame } from "../core/frames";
import { Heights, type Keyed } from "./window";

export interface Anchor {
  key: string;
  offset: number;
}

export interface VirtualHandle {
  toEnd(): void;
  toItem(key: string): void;
  /** The first visible item, or null at the end. */
  anchor(): Anchor | null;
}

interface VirtualProps<T extends Keyed> {
  items: T[];
  render: (item: T) => ComponentChildren;
  head?: ComponentChildren;
  tail?: ComponentChildren;
  start: Anchor | null;
  nearTop: () => void;
  following: (following: boolean) => void;
  handle: { current: VirtualHandle | null };
  scroller: { current: HTMLDivElement | null };
}

const GUESS = 34;
const SPARE = 700;
const AT_END = 32;
/** Layouts in one picture; what is not settled then is settled in the next. */
const MOST_ROUNDS = 12;

export function Virtual<T extends Keyed>(props: VirtualProps<T>) {
  const { items, render, scroller } = props;
  const heights = useMemo(() => new Heights(GUESS), []);
  const range = useSignal<[number, number]>([0, 0]);
  const version = useSignal(0);
  const follow = useRef(!props.start);
  const anchor = useRef<Anchor | null>(props.start);
  const lastTop = useRef(0);
  const headHeight = useRef(0);
  const rounds = useRef(0);
  const listElement = useRef<HTMLDivElement>(null);

  useMemo(() => heights.list(items), [items]);

  /** Where the list starts inside the scroller. */
  function origin(): number {
    return headHeight.current;
  }

  function update(): void {
    const view = scroller.current;
    if (!view) return;
    const next = heights.range(view.scrollTop - origin(), view.clientHeight, SPARE);
    const [from, to] = range.peek();
    if ((next[0] !== from || next[1] !== to) && again()) range.value = next;
  }

  /**
   * Whether one more layout fits into this picture. Layouts follow each other without a
   * pause, so what keeps changing its size would stop the whole page.
   */
  function again(): boolean {
    if (rounds.current === 0) {
      nextFrame(() => {
        const late = rounds.current > MOST_ROUNDS;
        rounds.current = 0;
        if (late) version.value++;
      });
    }
    return rounds.current++ < MOST_ROUNDS;
  }

  /** What is drawn now is known from now on; without this, guesses could chase themselves. */
  function measure(): void {
    const news: [string, number][] = [];
    for (const child of listElement.current?.children ?? []) {
      const element = child as HTMLElement;
      if (element.dataset.key) news.push([element.dataset.key, element.offsetHeight]);
    }
    if (heights.measured(news) && again()) version.value++;
  }

  /** Put the view back to where it was, after something changed its size. */
  function settle(): void {
    const view = scroller.current;
    if (!view) return;
    if (follow.current) {
      view.scrollTop = view.scrollHeight;
    } else if (anchor.current) {
      const at = heights.indexOf(anchor.current.key);
      if (at >= 0) {
        const top = origin() + heights.topOf(at) + anchor.current.offset;
        if (Math.abs(view.scrollTop - top) > 0.5) view.scrollTop = top;
      }
    }
    lastTop.current = view.scrollTop;
    update();
  }

  function remember(): void {
    const view = scroller.current;
    if (!view) return;
    const y = view.scrollTop - origin();
    const at = heights.at(Math.max(0, y));
    const key = heights.keyAt(at);
    if (key) anchor.current = { key, offset: y - heights.topOf(at) };
  }

  function onScroll(): void {
    const view = scroller.current;
    if (!view) return;
    const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight < AT_END;
    const up = view.scrollTop < lastTop.current - 1;
    const was = follow.current;
    follow.current = atEnd || (was && !up);
    if (was !== follow.current) props.following(follow.current);
    lastTop.current = view.scrollTop;
    remember();
    update();
    if (view.scrollTop < SPARE) props.nearTop();
  }

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const news: [string, number][] = [];
        for (const entry of entries) {
          const element = entry.target as HTMLElement;
          const key = element.dataset.key;
          if (key && element.isConnected) news.push([key, element.offsetHeight]);
        }
        if (heights.measured(news)) version.value++;
        settle();
      }),
    [],
  );
  useEffect(() => () => observer.disconnect(), []);

  useLayoutEffect(() => {
    headHeight.current = listElement.current?.offsetTop ?? 0;
    measure();
    settle();
  }, [items, range.value, version.value, props.head, props.tail]);

  useEffect(() => {
    const view = scroller.current;
    if (!view) return;
    const resized = new ResizeObserver(() => settle());
    resized.observe(view);
    return () => resized.disconnect();
  }, []);

  props.handle.current = {
    toEnd() {
      follow.current = true;
      props.following(true);
      settle();
    },
    toItem(key) {
      follow.current = false;
      props.following(false);
      anchor.current = { key, offset: 0 };
      settle();
    },
    anchor: () => (follow.current ? null : anchor.current),
  };

  const [from, to] = range.value;
  const shown = items.slice(from, to);
  return (
    <div class="scroll" ref={scroller} onScroll={onScroll}>
      <div class="read">
        {props.head}
        <div ref={listElement} class="rows">
          <div style={{ height: `${heights.topOf(from)}px` }} />
          {shown.map((item) => (
            <Measured key={item.key} id={item.key} top={item === items[0]} observer={observer}>
              {render(item)}
            </Measured>
          ))}
          <div style={{ height: `${Math.max(0, heights.total - heights.topOf(to))}px` }} />
        </div>
        {props.tail}
      </div>
    </div>
  );
}

interface MeasuredProps {
  id: string;
  /** The first of all items, not of those that are drawn. */
  top: boolean;
  observer: ResizeObserver;
  children: ComponentChildren;
}

function Measured({ id, top, observer, children }: MeasuredProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    observer.observe(element);
    return () => observer.unobserve(element);
  }, [observer]);
  return (
    <div class={top ? "measured top" : "measured"} ref={box} data-key={id}>
      {children}
    </div>
  );
}
