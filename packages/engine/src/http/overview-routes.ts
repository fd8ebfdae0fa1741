/** The overview routes: everything that is going on, in all workflows. Their policy is that of `finding-routes.ts`. */
import type {
  ActivityInput,
  ActivityOutput,
  ListCallbacksInput,
  ListCallbacksOutput,
  ListLeasesInput,
  ListLeasesOutput,
} from "../ports/overview-service.ts";
import * as queries from "./overview-queries.ts";
import { defineRoute, type Get, OVER_ALL } from "./route.ts";

/** The routes with their types. */
export interface OverviewRoutes {
  readonly measureActivity: Get<"/activity", ActivityInput, ActivityOutput>;
  readonly listLeases: Get<"/leases", ListLeasesInput, ListLeasesOutput>;
  readonly listCallbacks: Get<"/open-callbacks", ListCallbacksInput, ListCallbacksOutput>;
}

const looking = { method: "GET", ...OVER_ALL } as const;

/** The routes by name. */
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
