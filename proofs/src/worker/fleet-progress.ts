/** How far a fleet has come. */
import { type Engine, WorkflowError } from "@escapement/engine";
import { expect } from "vitest";
import type { StepView } from "../../../packages/engine/src/ports/instance-views.ts";
import { runLimited } from "../run-limited.ts";
import { FLEET_WORKFLOW } from "./fleet-workflow.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks for a page of each state but `complete` until all are empty. A server may refuse us while it is crowded. */
export async function untilCompleted(engine: Engine, instanceCount: number): Promise<void> {
  try {
    await lookUntilCompleted(engine, instanceCount);
  } catch (error) {
    if (!WorkflowError.is(error) || !error.retryable) throw error;
    await pause(200);
    await untilCompleted(engine, instanceCount);
  }
}

async function lookUntilCompleted(engine: Engine, instanceCount: number): Promise<void> {
  for (const status of ["queued", "waiting", "running", "errored"] as const) {
    for (;;) {
      const { instances } = await engine.listInstances(FLEET_WORKFLOW, { status, pageSize: 1 });
      if (status === "errored") expect(instances).toEqual([]);
      if (instances.length === 0) break;
      await pause(200);
    }
  }
  // Instances move between states while we look.
  const complete = await countComplete(engine);
  if (complete < instanceCount) await lookUntilCompleted(engine, instanceCount);
}

/** Instances that are complete. */
export async function countComplete(engine: Engine): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await engine.listInstances(FLEET_WORKFLOW, {
      status: "complete",
      pageSize: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    count += page.instances.length;
    ({ cursor } = page);
  } while (cursor !== undefined);
  return count;
}

/** Steps of each instance. */
export async function loadHistories(
  engine: Engine,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StepView[]>> {
  const histories = new Map<string, readonly StepView[]>();
  await runLimited(instanceIds, 4, async (id) => {
    histories.set(id, (await engine.listHistory(FLEET_WORKFLOW, id, {})).steps);
  });
  return histories;
}
