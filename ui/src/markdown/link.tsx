/** Links leave through the host; images from elsewhere are named, not loaded. */

import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { Icon } from "../icons/icon";
import { useApp } from "../parts/context";

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address, when it is one that may be opened from a text. */
export function safeUrl(href: string): URL | null {
  try {
    const url = new URL(href);
    return ALLOWED.has(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

interface LinkProps {
  href: string;
  title?: string | null | undefined;
  children: ComponentChildren;
}

export function Link({ href, children }: LinkProps) {
  const url = safeUrl(href);
  // Not an address that we open: the words stay, and the address can be read.
  if (!url) {
    return (
      <span class="md-nolink" title={href}>
        {children}
      </span>
    );
  }
  return (
    <a href={url.href} title={url.href} rel="noreferrer noopener">
      {children}
    </a>
  );
}

export function RemoteImage({ href, text }: { href: string; text: string }) {
  const app = useApp();
  const url = safeUrl(href);
  if (!url || url.protocol === "mailto:") return <span class="md-nolink">{text}</span>;
  return (
    <button
      type="button"
      class="md-image"
      title={`${url.href}\n${t("md.imageHint")}`}
      onClick={() => app.attempt(() => app.api.call("host/openUrl", { url: url.href }))}
    >
      <Icon name="external-link" small />
      <span>{t("md.image", { host: url.host })}</span>
      <span class="quiet trunc">{text}</span>
    </button>
  );
}
