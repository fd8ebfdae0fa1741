/** Secrets of the tick route of `programs/deno-app.ts`. */
export const TICK_BEARER = "bearer-secret-of-more-than-24-bytes";
export const TICK_KEYS: readonly string[] = ["signing-key-of-more-than-24-bytes"];
