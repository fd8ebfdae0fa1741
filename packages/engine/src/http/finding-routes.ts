/**
 * The routes over all workflows. They have their own policy, because a caller who may read one workflow's instances may not be
 * allowed to see all.
 */
import { defineRoute, type Get, OVER_ALL } from "./route.ts";
import * as shapes from "./schemas.ts";
import type { CountInstancesOutput, FindInstancesOutput } from "../ports/finding-service.ts";

/** The routes with their types. */
export interface FindingRoutes {
  readonly findInstances: Get<"/instances", shapes.FindQuery, FindInstancesOutput>;
  readonly countInstances: Get<"/instances/counts", shapes.CountQuery, CountInstancesOutput>;
}

/** The routes by name. */
export const FINDING_ROUTES: FindingRoutes = {
  findInstances: defineRoute({
    method: "GET",
    path: "/instances",
    ...OVER_ALL,
    query: shapes.findQuery,
    handle: (service, { query }) => service.findInstances(query),
  }),
  countInstances: defineRoute({
    method: "GET",
    path: "/instances/counts",
    ...OVER_ALL,
    query: shapes.countQuery,
    handle: (service, { query }) => service.countInstances(query),
  }),
};
