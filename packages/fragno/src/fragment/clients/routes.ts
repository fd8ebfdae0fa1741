/** The HTTP table in Fragno's types, for server and clients. */
import type { FragnoRouteConfig } from "@fragno-dev/core";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ErrorCode } from "@escapement/engine";
import type { HttpRoute, HttpRoutes, Route, RouteName } from "@escapement/engine/internal";
import { anyShape, COMMON_ERRORS, ROUTE_REFERENCE } from "@escapement/engine/internal/values";

/** A schema with the same values on both sides. */
type Schema<T> = StandardSchemaV1<T, T>;

/** A route of the table as a route of Fragno. */
export type WorkflowsRoute<Name extends RouteName> =
  HttpRoutes[Name] extends Route<infer Method, infer Path, infer Query, infer Body, infer Output>
    ? FragnoRouteConfig<
        Method,
        Path,
        unknown extends Body ? undefined : Schema<Body>,
        Schema<Output>,
        ErrorCode,
        Extract<keyof Query, string>
      >
    : never;

// Fragno finds a route only in a tuple. The compiler chooses the order, which has no meaning.
type ToIntersection<T> = (T extends unknown ? (value: () => T) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;
type LastOf<T> = ToIntersection<T> extends () => infer Last ? Last : never;
type ToTuple<Names extends RouteName, Last = LastOf<Names>> = [Names] extends [never]
  ? readonly []
  : readonly [...ToTuple<Exclude<Names, Last>>, WorkflowsRoute<Last & RouteName>];

/** All routes in the form of Fragno's types. */
export type WorkflowsRoutes = ToTuple<RouteName>;

/** The part of Fragno's input that a route needs. */
export interface RouteRequest {
  readonly method: string;
  readonly pathParams: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly rawBody: string | undefined;
  readonly input: { valid(): Promise<unknown> } | undefined;
}

/** The configuration of a route for Fragno, and its handler. */
export const toRouteConfig = (
  name: RouteName,
  { method, path, bodyLimit }: HttpRoute,
  answer: (request: RouteRequest) => Promise<Response>,
): object => ({
  method,
  path,
  // Accepts anything: the route itself reports errors in a body, in the API's own form.
  ...(bodyLimit === "none" ? {} : { inputSchema: anyShape }),
  outputSchema: ROUTE_REFERENCE[name].output,
  errorCodes: [...COMMON_ERRORS, ...ROUTE_REFERENCE[name].errors],
  handler: answer,
});
