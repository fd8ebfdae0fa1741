/** What a route is: data, and one function over the service. Knows neither Hono nor Fragno, so that both can mount it. */
import type { EpochMs } from "../core/model/records.ts";
import type { EngineService } from "../ports/service.ts";
import { parseShape } from "./input.ts";
import type { Shape } from "./value-shapes.ts";

/**
 * Which of the host's policies guards a route. `view`: lists over all workflows. `callback`: a token in its path does, and a policy
 * only if there is one. `payloads` guards none: who is refused by it gets the answer without them.
 */
export type RoutePolicy =
  | "create"
  | "manage"
  | "delete"
  | "events"
  | "read"
  | "view"
  | "payloads"
  | "tick"
  | "callback";

/** Methods of the HTTP API. */
export type HttpMethod = "GET" | "POST" | "DELETE";

/** Which size limit a body has; `none`: a body is neither read nor looked at. */
export type BodyLimit = "none" | "single" | "batch" | "tick";

/** The types of one route, so that a typed client can be derived from the table. */
export interface RouteTypes {
  readonly method: HttpMethod;
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly output: unknown;
}

/** What a route reads from a request. */
export interface RouteInput<Types extends RouteTypes = RouteTypes> {
  readonly params: Types["params"];
  readonly query: Types["query"];
  readonly body: Types["body"];
  /** The header `Idempotency-Key`; null: the request has none. */
  readonly idempotencyKey: string | null;
  /** Process-clock instant at which this invocation is killed; null: none. Only ticks use it. */
  readonly deadline: EpochMs | null;
  /** Aborted once the caller has left, where the platform tells. */
  readonly signal: () => AbortSignal;
  /** Asks the host whether the caller may read an instance of the path's workflow; null: the list of workflows. */
  readonly mayRead: (instanceId: string | null) => Promise<boolean>;
  /** Asks the host whether the caller may see the payloads of an instance of the path's workflow. */
  readonly maySeePayloads: (instanceId: string) => Promise<boolean>;
}

/** A route as whoever mounts it sees it. */
export interface HttpRoute {
  readonly method: HttpMethod;
  /** Below the mount path; `:name` is one segment. */
  readonly path: string;
  readonly policy: RoutePolicy;
  /** A second policy that guards it as well. */
  readonly also?: RoutePolicy;
  readonly params: Shape<unknown>;
  /** Takes a record of strings, one per parameter given. */
  readonly query: Shape<unknown>;
  readonly body: Shape<unknown>;
  readonly bodyLimit: BodyLimit;
  /** It has a stream of lines or events too, for requests that ask for one. */
  readonly streams?: true;
  /** Checks the input against the three shapes and asks the service. @throws INVALID_REQUEST, and what the service throws */
  answer(service: EngineService, input: RouteInput): Promise<unknown>;
}

export interface RouteSpec<Types extends RouteTypes> extends Omit<HttpRoute, "answer"> {
  readonly method: Types["method"];
  readonly path: Types["path"];
  readonly params: Shape<Types["params"]>;
  readonly query: Shape<Types["query"]>;
  readonly body: Shape<Types["body"]>;
  handle(
    service: EngineService,
    input: RouteInput<Types>,
  ): Types["output"] | Promise<Types["output"]>;
}

/** A route with its types. */
export type Route<Types extends RouteTypes> = RouteSpec<Types> & HttpRoute;

/** A query, and what ends its wait if it has one. Where there is none, a request is spared to make its signal. */
export const waitingBy = <TQuery extends { readonly waitMs?: number }>(
  query: TQuery,
  signal: () => AbortSignal,
): TQuery & { readonly signal?: AbortSignal } =>
  query.waitMs ? { ...query, signal: signal() } : query;

/** Declares a route: its data as given, plus `answer`. */
export function defineRoute<Types extends RouteTypes>(spec: RouteSpec<Types>): Route<Types> {
  return {
    ...spec,
    answer: async (service, input) =>
      spec.handle(service, {
        params: parseShape(spec.params, input.params, "path"),
        query: parseShape(spec.query, input.query, "query"),
        body: parseShape(spec.body, input.body, "body"),
        idempotencyKey: input.idempotencyKey,
        deadline: input.deadline,
        signal: input.signal,
        mayRead: input.mayRead,
        maySeePayloads: input.maySeePayloads,
      }),
  };
}
