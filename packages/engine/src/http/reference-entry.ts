/** The form of a route's reference text, and error codes that several routes share. */
import type { ErrorCode } from "../core/error-codes.ts";
import type { HttpMethod, Route } from "./route.ts";
import type { HttpRoutes, RouteName } from "./route-types.ts";
import type { Shape } from "./value-shapes.ts";

/** The reference text of a route. */
export interface RouteReference<Output = unknown> {
  /** One sentence. */
  readonly summary: string;
  /** The meaning of the header `Idempotency-Key`; absent: the route ignores it. */
  readonly idempotent?: string;
  readonly output: Shape<Output>;
  /** The error codes of this route, besides COMMON_ERRORS. */
  readonly errors: readonly ErrorCode[];
}

type OutputOf<R> =
  R extends Route<HttpMethod, string, infer _Query, infer _Body, infer Output> ? Output : never;

/** An entry for each of these routes, with the route's output type. */
export type ReferenceOf<Names extends RouteName> = {
  readonly [Name in Names]: RouteReference<OutputOf<HttpRoutes[Name]>>;
};

/** Error codes that any route may answer with. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "INVARIANT_BROKEN",
];

/** Error codes of routes for one instance. */
export const instanceErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INSTANCE_NOT_FOUND",
];
/** Error codes of routes that create instances. */
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

/** Error codes of filters; a parent is given by its workflow's name and its id. */
export const filterErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_WORKFLOW_NAME",
];
