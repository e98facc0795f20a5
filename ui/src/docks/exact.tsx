/** Text exactly as it will be used, with everything in it visible. */

import { t } from "../i18n";
import { CopyButton } from "../parts/buttons";
import { visible } from "./visible";

export function Pieces({ raw }: { raw: string }) {
  return (
    <>
      {visible(raw).pieces.map((piece, at) => (
        <span key={at} class={piece.kind === "plain" ? undefined : `unseen ${piece.kind}`}>
          {piece.text}
        </span>
      ))}
    </>
  );
}

export function Exact({ raw }: { raw: string }) {
  const seen = visible(raw);
  const flags = [
    seen.lines > 1 && t("approval.lines", { n: seen.lines }),
    raw.length > 400 && t("approval.chars", { n: raw.length }),
    seen.hidden > 0 && t("approval.hiddenChars", { n: seen.hidden }),
    seen.longSpaces && t("approval.longSpaces"),
    seen.mixed && t("approval.mixed"),
  ].filter(Boolean);
  const alarming = seen.hidden > 0 || seen.longSpaces || seen.mixed;
  return (
    <>
      <div class="exact">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard */}
        <code tabIndex={0} data-testid="approval-command">
          <Pieces raw={raw} />
        </code>
        <CopyButton text={() => raw} label={t("approval.copy")} />
      </div>
      {flags.length > 0 && (
        <p class={`small exact-flags ${alarming ? "warn" : "quiet"}`}>{flags.join(" · ")}</p>
      )}
    </>
  );
}
