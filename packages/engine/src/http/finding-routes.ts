/** The routes over all workflows. Their policy is one of its own: who may read a workflow's instances may not see all. */
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";
import type { CountInstancesOutput, FindInstancesOutput } from "../ports/finding-service.ts";

/** With their types. */
export interface FindingRoutes {
  readonly findInstances: Route<{
    readonly method: "GET";
    readonly path: "/instances";
    readonly params: object;
    readonly query: shapes.FindQuery;
    readonly body: unknown;
    readonly output: FindInstancesOutput;
  }>;
  readonly countInstances: Route<{
    readonly method: "GET";
    readonly path: "/instances/counts";
    readonly params: object;
    readonly query: shapes.CountQuery;
    readonly body: unknown;
    readonly output: CountInstancesOutput;
  }>;
}

const nothing = {
  policy: "view",
  also: "read",
  params: shapes.emptyShape,
  body: shapes.anyShape,
  bodyLimit: "none",
} as const;

/** By name. */
export const FINDING_ROUTES: FindingRoutes = {
  findInstances: defineRoute({
    method: "GET",
    path: "/instances",
    ...nothing,
    query: shapes.findQuery,
    handle: (service, { query }) => service.findInstances(query),
  }),
  countInstances: defineRoute({
    method: "GET",
    path: "/instances/counts",
    ...nothing,
    query: shapes.countQuery,
    handle: (service, { query }) => service.countInstances(query),
  }),
};
