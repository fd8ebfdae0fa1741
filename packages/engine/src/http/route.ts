/** A route: data, and one function over the service. It does not know Hono or Fragno, so both can mount it. */
import { object, string } from "valibot";
import type { EpochMs } from "../core/model/records.ts";
import type { EngineService } from "../ports/service.ts";
import { parseShape } from "./input.ts";
import { anyShape, emptyShape } from "./schemas.ts";
import type { Shape } from "./value-shapes.ts";

/**
 * Which of the host's policies guards a route. `view`: lists over all workflows. `callback`: guarded by the token in its path, and by
 * the policy if there is one. `payloads` guards no route: a caller whom it refuses gets the answers without payloads.
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

/** Which size limit a body has; `none`: the body is not read. */
export type BodyLimit = "none" | "single" | "batch" | "tick";

/** The names of a path's `:name` segments. */
type NameIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NameIn<`/${More}`>
    : Rest
  : never;

/** What a route reads from a request. */
export interface RouteInput<Path extends string = string, Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<NameIn<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The header `Idempotency-Key`; null: not given. */
  readonly idempotencyKey: string | null;
  /** When this invocation is killed, by the process's clock; null: never. Only ticks use it. */
  readonly deadline: EpochMs | null;
  /** Aborted when the caller has left, if the platform reports it. */
  readonly signal: () => AbortSignal;
  /** Asks the host whether the caller may read an instance of the path's workflow; null: the list of workflows. */
  readonly mayRead: (instanceId: string | null) => Promise<boolean>;
  /** Asks the host whether the caller may see the payloads of an instance of the path's workflow. */
  readonly maySeePayloads: (instanceId: string) => Promise<boolean>;
}

/** A route, as the code that mounts it sees it. */
export interface HttpRoute {
  readonly method: HttpMethod;
  /** Below the mount path; `:name` is one segment. */
  readonly path: string;
  readonly policy: RoutePolicy;
  /** A second policy that guards it as well. */
  readonly also?: RoutePolicy;
  /** Shape of the segments that the path names. */
  readonly params: Shape<Readonly<Record<string, string>>>;
  /** Shape of a record of strings, one per given parameter. */
  readonly query: Shape<unknown>;
  readonly body: Shape<unknown>;
  readonly bodyLimit: BodyLimit;
  /** It also has a stream of lines or events, for requests that ask for one. */
  readonly streams?: true;
  /** Checks the input against the three shapes and calls the service. @throws INVALID_REQUEST, and what the service throws */
  answer(service: EngineService, input: RouteInput): Promise<unknown>;
}

/** A route with its types, from which a typed client can be derived. */
export interface Route<
  Method extends HttpMethod,
  Path extends string,
  Query,
  Body,
  Output,
> extends HttpRoute {
  readonly method: Method;
  readonly path: Path;
  readonly query: Shape<Query>;
  readonly body: Shape<Body>;
  handle(service: EngineService, input: RouteInput<Path, Query, Body>): Output | Promise<Output>;
}

/** A route that reads. */
export type Get<Path extends string, Query, Output> = Route<"GET", Path, Query, unknown, Output>;

/** A route that writes. */
export type Post<Path extends string, Query, Body, Output> = Route<
  "POST",
  Path,
  Query,
  Body,
  Output
>;

type Declared = "answer" | "params" | "query" | "body" | "bodyLimit";

/** A query with fields, or a body with a type, needs a shape. Without one, nothing would check it. */
type ShapesNeeded<Query, Body> = ([keyof Query] extends [never]
  ? unknown
  : { readonly query: Shape<Query> }) &
  (unknown extends Body ? unknown : { readonly body: Shape<Body> });

/** The declaration of a route. Without `query` or `body` it takes none. */
interface RouteSpec<Method extends HttpMethod, Path extends string, Query, Body, Output>
  extends
    Omit<Route<Method, Path, Query, Body, Output>, Declared>,
    Partial<Pick<Route<Method, Path, Query, Body, Output>, "query" | "body" | "bodyLimit">> {}

/** The policies of a list over all workflows: a caller who may read one workflow's instances may not be allowed to see all. */
export const OVER_ALL = { policy: "view", also: "read" } as const;

/** The option of a verb; absent without the header. */
export const keyed = (idempotencyKey: string | null): { readonly idempotencyKey?: string } =>
  idempotencyKey === null ? {} : { idempotencyKey };

/** A query, with a signal that ends its wait. A query without a wait does not create the request's signal. */
export const waitingBy = <TQuery extends { readonly waitMs?: number }>(
  query: TQuery,
  signal: () => AbortSignal,
): TQuery & { readonly signal?: AbortSignal } =>
  query.waitMs ? { ...query, signal: signal() } : query;

/** Declares a route: its data as given, plus `answer`. */
export function defineRoute<Method extends HttpMethod, Path extends string, Query, Body, Output>(
  spec: RouteSpec<Method, Path, Query, Body, Output> & ShapesNeeded<NoInfer<Query>, NoInfer<Body>>,
): Route<Method, Path, Query, Body, Output> {
  const names = [...spec.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  const params: HttpRoute["params"] = object(
    Object.fromEntries(names.map((name) => [name, string()])),
  );
  const nothing = { query: emptyShape as Shape<Query>, body: anyShape as Shape<Body> };
  const { query, body } = { ...nothing, ...spec };
  return {
    ...nothing,
    bodyLimit: "none",
    ...spec,
    params,
    answer: async (service, input) =>
      spec.handle(service, {
        params: parseShape(params, input.params, "path"),
        query: parseShape(query, input.query, "query"),
        body: parseShape(body, input.body, "body"),
        idempotencyKey: input.idempotencyKey,
        deadline: input.deadline,
        signal: input.signal,
        mayRead: input.mayRead,
        maySeePayloads: input.maySeePayloads,
      }),
  };
}
