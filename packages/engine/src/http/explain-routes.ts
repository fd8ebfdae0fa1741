/** The routes that tell how an instance stands, and why it is not moving. */
import type { Explanation } from "../core/explain/explanation.ts";
import type { InstanceDescription } from "../ports/describe.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** With its types. */
export interface ExplainRoutes {
  readonly describeInstance: Route<{
    readonly method: "GET";
    readonly path: "/workflows/:workflowName/instances/:instanceId/describe";
    readonly params: shapes.InstanceParams;
    readonly query: object;
    readonly body: unknown;
    readonly output: InstanceDescription;
  }>;
  readonly explainInstance: Route<{
    readonly method: "GET";
    readonly path: "/workflows/:workflowName/instances/:instanceId/explain";
    readonly params: shapes.InstanceParams;
    readonly query: object;
    readonly body: unknown;
    readonly output: Explanation;
  }>;
}

const instance = {
  policy: "read",
  body: shapes.anyShape,
  bodyLimit: "none",
  params: shapes.instanceParams,
  query: shapes.emptyShape,
} as const;

/** By name. */
export const EXPLAIN_ROUTES: ExplainRoutes = {
  describeInstance: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/describe",
    ...instance,
    handle: (service, { params }) =>
      service.describeInstance(params.workflowName, params.instanceId),
  }),
  explainInstance: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/explain",
    ...instance,
    handle: (service, { params }) =>
      service.explainInstance(params.workflowName, params.instanceId),
  }),
};
