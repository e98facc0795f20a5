/** Work that should happen once per picture, however many facts arrived. */

/** Runs `work` before the next picture; when the page is hidden, soon after. */
export function nextFrame(work: () => void): void {
  if (typeof requestAnimationFrame === "undefined" || document.hidden) setTimeout(work, 50);
  else requestAnimationFrame(work);
}

/** A `request()` that runs `work` at most once per picture. */
export function perFrame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    nextFrame(() => {
      asked = false;
      work();
    });
  };
}
