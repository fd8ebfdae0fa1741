/** Runs that are rewound. */
import type { ClaimedRun } from "../../ports/claim.ts";
import type { RewindRequest, RewindResult } from "../../ports/rewind.ts";
import { newId } from "./builders.ts";
import { changesOf, type Past } from "./rewind-cases.ts";
import { COMPLETE, type Scene } from "./scene.ts";

/** Brings a run back to a step, demanding nothing. */
export const rewind = (
  { store, workflowName }: Scene,
  { run }: Pick<ClaimedRun, "run">,
  stepKey: string,
  overrides: Partial<RewindRequest> = {},
): Promise<RewindResult> =>
  store.rewind({
    workflowName,
    instanceId: run.instanceId,
    stepKey,
    ifRunNumber: null,
    ifStatus: null,
    controlKey: null,
    keepsKeys: false,
    taskRowId: newId(),
    eventRowId: newId(),
    ...overrides,
  });

/** A run that has completed with these steps. */
export async function completed(at: Scene, steps: readonly Past[]): Promise<ClaimedRun> {
  const run = await at.start();
  await at.end(run, COMPLETE, changesOf(steps));
  return run;
}

/** Keys of steps, in their order. */
export const keysOf = (steps: readonly { readonly stepKey: string }[]): readonly string[] =>
  steps.map(({ stepKey }) => stepKey);

/** Two steps, one after the other. */
export const A_AND_B: readonly Past[] = [{ stepKey: "a" }, { stepKey: "b" }];
