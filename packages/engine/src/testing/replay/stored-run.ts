/** The current runs of instances, from a store or a file. */
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import type { InstanceRecord, StepRecord } from "../../core/model/records.ts";
import type { MovedInstance, MovedStep } from "../../core/move/records.ts";
import type { PartsPage } from "../../ports/move.ts";
import type { Store } from "../../ports/store.ts";

/** A run to replay. */
export interface StoredRun {
  readonly instance: InstanceRecord;
  readonly steps: readonly StepRecord[];
}

/** A run, as far as its records have been read. */
export interface RunSoFar extends StoredRun {
  readonly steps: StepRecord[];
}

export function toRun(record: MovedInstance): RunSoFar {
  const { kind: _kind, controlKey: _controlKey, keyNumber: _keyNumber, ...instance } = record;
  return { instance, steps: [] };
}

/** Steps contain what events gave them, so events are not read. */
export function addStep(run: RunSoFar | null, record: MovedStep): void {
  const { kind: _kind, runNumber, startedKeys: _startedKeys, ...step } = record;
  if (runNumber === run?.instance.runNumber) run.steps.push(step);
}

/**
 * Reads several runs: one trip, and one more for each further page of their steps.
 *
 * @returns in the same order; null: the instance no longer exists
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
