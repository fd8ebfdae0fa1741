/** The workflow whose instances are bulk jobs. Its code is loaded with the first job that runs. */
import { type RegisteredWorkflow, toDefinition, toRegistered } from "../authoring/registry.ts";
import { BULK_WORKFLOW } from "../core/engine-names.ts";
import { late, requireLoaded } from "../core/late.ts";
import type { TripCounter } from "../ports/trips.ts";
import type { EngineContext } from "./context.ts";

const code = late(() => import("./run-bulk.ts"));

/** @param getContext gives the context of the engine, which does not exist yet */
export const createBulkWorkflow = (
  getContext: () => EngineContext,
  trips: TripCounter | undefined,
): RegisteredWorkflow => {
  const definition = toDefinition(
    // A job survives an hour without the database.
    { name: BULK_WORKFLOW, retries: { limit: 20, delay: "15 seconds", backoff: "linear" } },
    (event, step) => requireLoaded(code).runBulk({ context: getContext(), trips }, event, step),
  );
  return { ...toRegistered(definition, BULK_WORKFLOW), code };
};
