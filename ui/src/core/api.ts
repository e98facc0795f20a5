/** Calls to the host: one POST per method, errors as one class. */

import type { Method, Request, Response } from "./methods";

/** What the host refused, or that it could not be reached (`code` is then OFFLINE). */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly code: string,
    message: string,
    readonly status = 0,
    readonly remedy?: string,
    readonly details?: unknown,
  ) {
    super(message);
  }
}

export interface Api {
  call<M extends Method>(method: M, request: Request<M>): Promise<Response<M>>;
}

interface Refusal {
  error?: { code?: string; message?: string; remedy?: string; details?: unknown };
}

/** An error from a refused call; bodies that are not ours become HTTP_<status>. */
function refused(status: number, body: unknown): ApiError {
  const error = (body as Refusal | null)?.error;
  const code = error?.code ?? `HTTP_${status}`;
  return new ApiError(code, error?.message ?? code, status, error?.remedy, error?.details);
}

export function httpApi(token: string, fetcher: typeof fetch = fetch.bind(globalThis)): Api {
  return {
    async call(method, request) {
      let response: Awaited<ReturnType<typeof fetch>>;
      try {
        response = await fetcher(`/api/${method}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-dsh-page": token },
          body: JSON.stringify(request),
          // A saved draft still leaves when the page goes away.
          keepalive: method === "ui/saveState",
        });
      } catch (cause) {
        throw new ApiError("OFFLINE", String(cause));
      }
      const body: unknown = await response.json().catch(() => null);
      if (!response.ok) throw refused(response.status, body);
      return body as never;
    },
  };
}
