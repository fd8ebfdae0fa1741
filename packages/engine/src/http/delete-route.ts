/** The route that deletes. Its policy is one of its own: who may steer instances may not remove what they did. */
import type { DeleteOutput } from "../ports/service.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** With its type. */
export interface DeleteRoutes {
  readonly deleteInstance: Route<{
    readonly method: "DELETE";
    readonly path: "/workflows/:workflowName/instances/:instanceId";
    readonly params: shapes.InstanceParams;
    readonly query: object;
    readonly body: unknown;
    readonly output: DeleteOutput;
  }>;
}

/** By name. */
export const DELETE_ROUTES: DeleteRoutes = {
  deleteInstance: defineRoute({
    method: "DELETE",
    path: "/workflows/:workflowName/instances/:instanceId",
    policy: "delete",
    params: shapes.instanceParams,
    query: shapes.emptyShape,
    body: shapes.anyShape,
    bodyLimit: "none",
    handle: (service, { params }) => service.deleteInstance(params.workflowName, params.instanceId),
  }),
};
