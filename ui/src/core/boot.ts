/** What the host wrote into the page that it served. */

export interface BootFacts {
  token: string;
  version: string;
  locale: "en" | "zh" | "system";
  theme: "light" | "dark" | "system";
  native: boolean;
}

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

export function bootFacts(): BootFacts {
  let told: Partial<BootFacts> = {};
  try {
    told = JSON.parse(meta("dsh-boot") || "{}");
  } catch {
    // A page served without a host's facts still shows itself.
  }
  return {
    token: meta("dsh-page-token"),
    version: told.version ?? "",
    locale: told.locale ?? "system",
    theme: told.theme ?? "system",
    native: told.native ?? false,
  };
}
