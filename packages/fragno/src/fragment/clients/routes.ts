/** The HTTP table in Fragno's types, for server and clients. */
import type { FragnoRouteConfig } from "@fragno-dev/core";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ErrorCode } from "@escapement/engine";
import {
  anyShape,
  COMMON_ERRORS,
  type HttpRoute,
  type HttpRoutes,
  type Route,
  ROUTE_REFERENCE,
  type RouteName,
} from "@escapement/engine/internal";

/** A schema whose values are the same on both sides of the wire. */
type Schema<T> = StandardSchemaV1<T, T>;

/** One route of the table as a route of Fragno's. */
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

// Fragno finds a route in a tuple only. The order is the compiler's own, and means nothing.
type ToIntersection<T> = (T extends unknown ? (value: () => T) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;
type LastOf<T> = ToIntersection<T> extends () => infer Last ? Last : never;
type ToTuple<Names extends RouteName, Last = LastOf<Names>> = [Names] extends [never]
  ? readonly []
  : readonly [...ToTuple<Exclude<Names, Last>>, WorkflowsRoute<Last & RouteName>];

/** All routes, as Fragno's types want them. */
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

/** A route's data for Fragno, and what answers it. */
export const toRouteConfig = (
  name: RouteName,
  { method, path, bodyLimit }: HttpRoute,
  answer: (request: RouteRequest) => Promise<Response>,
): object => ({
  method,
  path,
  // Takes anything: the route itself says what is wrong with a body, in the API's own words.
  ...(bodyLimit === "none" ? {} : { inputSchema: anyShape }),
  outputSchema: ROUTE_REFERENCE[name].output,
  errorCodes: [...COMMON_ERRORS, ...ROUTE_REFERENCE[name].errors],
  handler: answer,
});
