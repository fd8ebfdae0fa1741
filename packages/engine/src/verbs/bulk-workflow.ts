/** The workflow whose instances are bulk jobs, as the runner reads it. What it does is loaded with the first job that runs. */
import { type RegisteredWorkflow, toDefinition, toRegistered } from "../authoring/registry.ts";
import { BULK_WORKFLOW } from "../core/engine-names.ts";
import { late, there } from "../core/late.ts";
import type { TripCounter } from "../ports/trips.ts";
import type { HostContext } from "./context.ts";

const code = late(() => import("./run-bulk.ts"));

/** What runs jobs. */
export interface BulkHost {
  readonly context: HostContext;
  /** undefined: the platform counts none. */
  readonly trips: TripCounter | undefined;
}

/** @param getContext of the engine that runs it, which is not there yet */
export const createBulkWorkflow = (
  getContext: () => HostContext,
  trips: TripCounter | undefined,
): RegisteredWorkflow => {
  const definition = toDefinition(
    // A database that is away for an hour does not end a job.
    { name: BULK_WORKFLOW, retries: { limit: 20, delay: "15 seconds", backoff: "linear" } },
    (event, step) => there(code).runBulk({ context: getContext(), trips }, event, step),
  );
  return { ...toRegistered(definition, BULK_WORKFLOW), code };
};
