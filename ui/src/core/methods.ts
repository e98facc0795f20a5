/** Every method of the host that the page may call, by name. */

import type { Methods } from "../wire.gen";

export type Method = keyof Methods;
export type Request<M extends Method> = Methods[M]["request"];
export type Response<M extends Method> = Methods[M]["response"];
