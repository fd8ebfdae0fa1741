/** The route that deletes. Its policy is one of its own: who may steer instances may not remove what they did. */
import type { DeleteOutput } from "../ports/service.ts";
import { INSTANCE_PATH } from "./mount.ts";
import { defineRoute, type Route } from "./route.ts";

/** With its type. */
export interface DeleteRoutes {
  readonly deleteInstance: Route<"DELETE", typeof INSTANCE_PATH, object, unknown, DeleteOutput>;
}

/** By name. */
export const DELETE_ROUTES: DeleteRoutes = {
  deleteInstance: defineRoute({
    method: "DELETE",
    path: INSTANCE_PATH,
    policy: "delete",
    handle: (service, { params }) => service.deleteInstance(params.workflowName, params.instanceId),
  }),
};
