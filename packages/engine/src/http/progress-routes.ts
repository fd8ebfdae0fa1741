/** The route for an instance's progress stream: a page of JSON, lines of JSON, or server-sent events. */
import type { ReadProgressOutput } from "../ports/progress-service.ts";
import { INSTANCE_PATH } from "./mount.ts";
import { defineRoute, type Get, waitingBy } from "./route.ts";
import * as shapes from "./schemas.ts";

/** The route with its type. */
export interface ProgressRoutes {
  readonly readProgress: Get<
    `${typeof INSTANCE_PATH}/stream`,
    shapes.ProgressQuery,
    ReadProgressOutput
  >;
}

/** The route by name. */
export const PROGRESS_ROUTES: ProgressRoutes = {
  readProgress: defineRoute({
    method: "GET",
    path: `${INSTANCE_PATH}/stream`,
    policy: "read",
    streams: true,
    query: shapes.progressQuery,
    handle: (service, { params, query: { once: _once, ...range }, signal }) =>
      service.readProgress(params.workflowName, params.instanceId, waitingBy(range, signal)),
  }),
};
