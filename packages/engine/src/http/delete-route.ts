/** The route that deletes. It has its own policy, because a caller who may control instances may not be allowed to delete them. */
import type { DeleteOutput } from "../ports/service.ts";
import { INSTANCE_PATH } from "./mount.ts";
import { preconditionsQuery, type PreconditionsQuery } from "./schemas.ts";
import { defineRoute, type Route } from "./route.ts";

/** The route with its type. */
export interface DeleteRoutes {
  readonly deleteInstance: Route<
    "DELETE",
    typeof INSTANCE_PATH,
    PreconditionsQuery,
    unknown,
    DeleteOutput
  >;
}

/** The route by name. */
export const DELETE_ROUTES: DeleteRoutes = {
  deleteInstance: defineRoute({
    method: "DELETE",
    path: INSTANCE_PATH,
    policy: "delete",
    query: preconditionsQuery,
    handle: (service, { params, query }) =>
      service.deleteInstance(params.workflowName, params.instanceId, query),
  }),
};
