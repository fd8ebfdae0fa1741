/** The routes over all that goes on. Their policy is that of `finding-routes.ts`. */
import type {
  ActivityInput,
  ActivityOutput,
  ListCallbacksInput,
  ListCallbacksOutput,
  ListLeasesInput,
  ListLeasesOutput,
} from "../ports/overview-service.ts";
import * as queries from "./overview-queries.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";

interface Types<Path extends string, Query, Output> {
  readonly method: "GET";
  readonly path: Path;
  readonly params: object;
  readonly query: Query;
  readonly body: unknown;
  readonly output: Output;
}

/** With their types. */
export interface OverviewRoutes {
  readonly measureActivity: Route<Types<"/activity", ActivityInput, ActivityOutput>>;
  readonly listLeases: Route<Types<"/leases", ListLeasesInput, ListLeasesOutput>>;
  readonly listCallbacks: Route<Types<"/open-callbacks", ListCallbacksInput, ListCallbacksOutput>>;
}

const looking = {
  method: "GET",
  policy: "view",
  also: "read",
  params: shapes.emptyShape,
  body: shapes.anyShape,
  bodyLimit: "none",
} as const;

/** By name. */
export const OVERVIEW_ROUTES: OverviewRoutes = {
  measureActivity: defineRoute({
    ...looking,
    path: "/activity",
    query: queries.activityQuery,
    handle: (service, { query }) => service.measureActivity(query),
  }),
  listLeases: defineRoute({
    ...looking,
    path: "/leases",
    query: queries.leasesQuery,
    handle: (service, { query }) => service.listLeases(query),
  }),
  listCallbacks: defineRoute({
    ...looking,
    path: "/open-callbacks",
    query: queries.callbacksQuery,
    handle: (service, { query }) => service.listCallbacks(query),
  }),
};
