/** The route of an instance's stream of progress: a page in JSON, lines of JSON or server-sent events. */
import type { ReadProgressOutput } from "../ports/progress-service.ts";
import { defineRoute, type Route, waitingBy } from "./route.ts";
import * as shapes from "./schemas.ts";

/** With its types. */
export interface ProgressRoutes {
  readonly readProgress: Route<{
    readonly method: "GET";
    readonly path: "/workflows/:workflowName/instances/:instanceId/stream";
    readonly params: shapes.InstanceParams;
    readonly query: shapes.ProgressQuery;
    readonly body: unknown;
    readonly output: ReadProgressOutput;
  }>;
}

/** By name. */
export const PROGRESS_ROUTES: ProgressRoutes = {
  readProgress: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/stream",
    policy: "read",
    body: shapes.anyShape,
    bodyLimit: "none",
    streams: true,
    params: shapes.instanceParams,
    query: shapes.progressQuery,
    handle: (service, { params, query: { once: _once, ...range }, signal }) =>
      service.readProgress(params.workflowName, params.instanceId, waitingBy(range, signal)),
  }),
};
