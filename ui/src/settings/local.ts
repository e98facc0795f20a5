/** Taking a model server of this computer into use. */

import { useApp } from "../parts/context";
import type { LocalServer } from "../wire";

export function idOf(label: string): string {
  const id = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return id || "custom";
}

export function useLocalServer() {
  const app = useApp();
  return (server: LocalServer) =>
    app.attempt(async () => {
      const { label, baseUrl, dialect, models } = server;
      const request = { id: idOf(label), label, baseUrl, dialect, models };
      const provider = await app.api.call("model/saveProvider", request);
      if (models[0]) {
        await app.api.call("model/setDefault", { provider: provider.id, model: models[0] });
      }
      await app.host.loadModels();
    });
}
