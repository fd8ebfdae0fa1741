/** The workflow whose instances are bulk jobs, as the runner reads it. What it does is loaded with the first job that runs. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { resolveStepConfig } from "../authoring/step-config.ts";
import { BULK_WORKFLOW } from "../core/bulk-name.ts";
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
): RegisteredWorkflow => ({
  name: BULK_WORKFLOW,
  bindingKey: BULK_WORKFLOW,
  schema: null,
  output: null,
  events: {},
  stepDefaults: {},
  repeatedNames: "occurrences",
  runRetries: null,
  runPolicy: null,
  retention: undefined,
  // A database that is away for an hour does not end a job.
  stepConfig: resolveStepConfig({ retries: { limit: 20, delay: "15 seconds", backoff: "linear" } }),
  code,
  run: (event, step) => there(code).runBulk({ context: getContext(), trips }, event, step),
});
