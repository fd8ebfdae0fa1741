/** The routes for an instance's state, and for why it is not moving. */
import type { Explanation } from "../core/explain/explanation.ts";
import type { InstanceDescription } from "../ports/describe.ts";
import { INSTANCE_PATH } from "./mount.ts";
import { defineRoute, type Get } from "./route.ts";

/** The routes with their types. */
export interface ExplainRoutes {
  readonly describeInstance: Get<`${typeof INSTANCE_PATH}/describe`, object, InstanceDescription>;
  readonly explainInstance: Get<`${typeof INSTANCE_PATH}/explain`, object, Explanation>;
}

/** The routes by name. */
export const EXPLAIN_ROUTES: ExplainRoutes = {
  describeInstance: defineRoute({
    method: "GET",
    path: `${INSTANCE_PATH}/describe`,
    policy: "read",
    handle: (service, { params }) =>
      service.describeInstance(params.workflowName, params.instanceId),
  }),
  explainInstance: defineRoute({
    method: "GET",
    path: `${INSTANCE_PATH}/explain`,
    policy: "read",
    handle: (service, { params }) =>
      service.explainInstance(params.workflowName, params.instanceId),
  }),
};
