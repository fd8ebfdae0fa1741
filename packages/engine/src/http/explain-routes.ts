/** The route that tells why an instance is not moving. */
import type { Explanation } from "../core/explain/explanation.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** With its types. */
export interface ExplainRoutes {
  readonly explainInstance: Route<{
    readonly method: "GET";
    readonly path: "/workflows/:workflowName/instances/:instanceId/explain";
    readonly params: shapes.InstanceParams;
    readonly query: object;
    readonly body: unknown;
    readonly output: Explanation;
  }>;
}

/** By name. */
export const EXPLAIN_ROUTES: ExplainRoutes = {
  explainInstance: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/explain",
    policy: "read",
    body: shapes.anyShape,
    bodyLimit: "none",
    params: shapes.instanceParams,
    query: shapes.emptyShape,
    handle: (service, { params }) =>
      service.explainInstance(params.workflowName, params.instanceId),
  }),
};
