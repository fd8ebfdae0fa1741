/** The workflow whose instances are bulk jobs, as the runner reads it. What its steps do is loaded with the first job that runs. */
import { Loop } from "../authoring/loop.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { resolveStepConfig } from "../authoring/step-config.ts";
import type { WorkflowEvent, WorkflowStep } from "../authoring/step.ts";
import { BULK_WORKFLOW } from "../core/bulk-name.ts";
import { late } from "../core/late.ts";
import type { PagePosition } from "../ports/pages.ts";
import type { TripCounter } from "../ports/trips.ts";
import type { Progress } from "./bulk-view.ts";
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
  run: (event, step) => runBulk({ context: getContext(), trips }, event, step),
});

interface Position extends Progress {
  readonly after: PagePosition | null;
}

/** Whom a chunk meets is written down before anything is done to them: a repeat of the act meets the same. */
async function runBulk(
  host: BulkHost,
  event: WorkflowEvent<unknown>,
  step: WorkflowStep,
): Promise<unknown> {
  const first = await step.do("count", async () => (await code()).countFirst(host, event));
  const state: Position = { ...first, after: null };
  return step.loop("chunks", {
    state,
    commitEvery: 1,
    keep: 0,
    run: async (own, { after, ...progress }: Position) => {
      const { items, next } = await own.do("look", async () =>
        (await code()).look(host, event, after),
      );
      const reached =
        items.length === 0
          ? progress
          : await own.do("act", async () =>
              (await code()).actOnAll(host, event, { items, progress }),
            );
      return next === null ? Loop.break(reached) : Loop.continue({ ...reached, after: next });
    },
  });
}
