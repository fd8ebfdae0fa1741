/** The present runs of instances as a store, or a file, has them. */
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import type { InstanceRecord, StepRecord } from "../../core/model/records.ts";
import type { MovedInstance, MovedStep } from "../../core/move/records.ts";
import type { PartsPage } from "../../ports/move.ts";
import type { Store } from "../../ports/store.ts";

/** What is replayed. */
export interface StoredRun {
  readonly instance: InstanceRecord;
  readonly steps: readonly StepRecord[];
}

/** A run as far as its records have come. */
export interface RunSoFar extends StoredRun {
  readonly steps: StepRecord[];
}

export function toRun(record: MovedInstance): RunSoFar {
  const { kind: _kind, controlKey: _controlKey, keyNumber: _keyNumber, ...instance } = record;
  return { instance, steps: [] };
}

/** Steps have what events gave them: no event is read. */
export function addStep(run: RunSoFar | null, record: MovedStep): void {
  const { kind: _kind, runNumber, startedKeys: _startedKeys, ...step } = record;
  if (runNumber === run?.instance.runNumber) run.steps.push(step);
}

/**
 * Reads them together: one trip, and one more for each further page of their steps.
 *
 * @returns in their order; null: there is no such instance any more
 * @throws STORE_UNAVAILABLE
 */
export async function readRuns(
  store: Store,
  members: readonly InstanceRef[],
): Promise<readonly (StoredRun | null)[]> {
  const moving = await store.moving();
  const { instances, step } = await moving.loadMembers(members, "step");
  const byKey = new Map(instances.map((record) => [instanceKey(record), toRun(record)]));
  const runs = members.map((member) => byKey.get(instanceKey(member)) ?? null);
  for (let page: PartsPage = step; ;) {
    for (const { member, record } of page.records)
      if (record.kind === "step") addStep(runs[member] ?? null, record);
    if (page.next === null) return runs;
    page = await moving.readParts({ members, kind: "step", after: page.next });
  }
}
