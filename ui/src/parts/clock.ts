/** The time as a signal, ticking only while something reads it. */

import { signal } from "@preact/signals-core";

function ticking(ms: number) {
  let timer: ReturnType<typeof setInterval> | undefined;
  const now = signal(Date.now(), {
    watched() {
      now.value = Date.now();
      timer = setInterval(() => {
        now.value = Date.now();
      }, ms);
    },
    unwatched() {
      clearInterval(timer);
    },
  });
  return now;
}

export const everySecond = ticking(1000);
export const everyMinute = ticking(30_000);
