import { toCreatedRecord } from "../../core/created-instance.ts";
import { notAfterDeadline, toDeadlineAt } from "../../core/deadline.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { When } from "../../core/model/change.ts";
import type { EpochMs, InstanceRecord } from "../../core/model/records.ts";
import { utf8Size } from "../../core/plain-codec.ts";
import { type CreateResult, type NewInstance, OTHER_PARAMS } from "../../ports/create.ts";
import { type Shown, SMALL_PAYLOAD_BYTES } from "../../ports/pages.ts";
import { findNextDue } from "./claim.ts";
import {
  claimTask,
  type MemoryInstance,
  type MemoryState,
  type MemoryTask,
  NEVER_CLAIMED,
  toRecord,
} from "./state.ts";

/** Creates all instances, then looks ahead for those that ask for it. */
export function createInstances(
  state: MemoryState,
  requests: readonly NewInstance[],
): readonly CreateResult[] {
  const results = requests.map((request) => createInstance(state, request));
  return results.map((result, index) => {
    const next = findNextDue(state, requests[index]?.claim ?? null);
    return next === undefined ? result : Object.assign({}, result, { next });
  });
}

function createInstance(state: MemoryState, request: NewInstance): CreateResult {
  const existing = state.instances.get(instanceKey(request));
  if (existing !== undefined) {
    return {
      kind: existing.rowId === request.instanceRowId ? "created" : "exists",
      instance: request.isOfBatch === true ? toPart(existing, request) : toRecord(existing),
    };
  }
  const instance = newInstance(state.now(), request);
  state.instances.set(instanceKey(request), instance);
  state.tasks.set(request.taskRowId, newTask(state.now(), request, instance));
  return { kind: "created", instance: toRecord(instance) };
}

/** The instance as far as a batch shows it. */
function toPart(existing: MemoryInstance, { params }: NewInstance): Shown<InstanceRecord> {
  const record = toRecord(existing);
  const outputBytes = utf8Size(record.output ?? "");
  const isSame = utf8Size(record.params ?? "") <= utf8Size(params ?? "");
  return {
    ...record,
    params: isSame ? record.params : OTHER_PARAMS,
    ...(outputBytes > SMALL_PAYLOAD_BYTES && { output: null, omittedBytes: outputBytes }),
  };
}

const newInstance = (now: number, request: NewInstance): MemoryInstance => ({
  ...toCreatedRecord(request, {
    createdAt: now,
    startedAt: request.claim === null ? laterThan(now, request.start) : now,
    deadlineAt: toDeadlineAt(request.deadline, now),
  }),
  endedBy: null,
  rowId: request.instanceRowId,
  controlKey: null,
  keyNumber: null,
  traceContext: request.traceContext ?? null,
});

/** null: it is not in the future. */
function laterThan(now: EpochMs, when: When | null): EpochMs | null {
  if (when === null) return null;
  const at = "at" in when ? when.at : now + when.inMs;
  return at > now ? at : null;
}

function newTask(now: number, request: NewInstance, instance: MemoryInstance): MemoryTask {
  const task: MemoryTask = {
    id: request.taskRowId,
    run: { workflowName: request.workflowName, instanceId: request.instanceId, runNumber: 1 },
    kind: "run",
    runAt: notAfterDeadline(laterThan(now, request.start) ?? now, instance),
    ...NEVER_CLAIMED,
  };
  return request.claim === null ? task : claimTask(task, { ...request.claim, now });
}
