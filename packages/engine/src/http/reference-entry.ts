/** What the reference says of a route, and the errors that several routes have. */
import type { ErrorCode } from "../core/error-codes.ts";
import type { HttpMethod, Route } from "./route.ts";
import type { HttpRoutes, RouteName } from "./route-types.ts";
import type { Shape } from "./value-shapes.ts";

/** What a route says to those who call it. */
export interface RouteReference<Output = unknown> {
  /** One sentence. */
  readonly summary: string;
  /** What the header `Idempotency-Key` names; absent: it is not looked at. */
  readonly idempotent?: string;
  readonly output: Shape<Output>;
  /** Codes that this route answers with, besides COMMON_ERRORS. */
  readonly errors: readonly ErrorCode[];
}

type OutputOf<R> =
  R extends Route<HttpMethod, string, infer _Query, infer _Body, infer Output> ? Output : never;

/** An entry for each of these routes, with the output that the route has. */
export type ReferenceOf<Names extends RouteName> = {
  readonly [Name in Names]: RouteReference<OutputOf<HttpRoutes[Name]>>;
};

/** Codes that any route may answer with. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "INVARIANT_BROKEN",
];

/** Of routes of one instance. */
export const instanceErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INSTANCE_NOT_FOUND",
];
/** Of routes that create instances. */
export const createErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_PARAMS",
  "INVALID_IDEMPOTENCY_KEY",
  "IDEMPOTENCY_KEY_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "INVALID_DURATION",
  "CROSS_SITE_REQUEST",
];

/** A parent is said by its workflow's name and its id. */
export const filterErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_WORKFLOW_NAME",
];
