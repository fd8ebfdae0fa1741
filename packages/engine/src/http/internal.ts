/** @module What `@escapement/dashboard` needs of the HTTP API beyond its public entry, and nothing of the engine behind it. No promise from one version to the next: all are published together. */
export { assertKnownOptions } from "../core/known-names.ts";
export { late } from "../core/late.ts";
export { refuseUnmatched, toErrorResponse } from "./answer.ts";
export { isResponse } from "./authorize.ts";
export { parseMountRoute } from "./mount.ts";
export { createSecretCheck, parseSecret } from "./secrets.ts";
