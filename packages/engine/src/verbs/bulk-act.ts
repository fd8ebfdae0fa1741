/** @module Does a bulk job's action to one instance. Loaded with the first job that runs. */
import type { BulkAct } from "../core/bulk.ts";
import { WorkflowError } from "../core/errors.ts";
import type { EpochMs, InstanceRecord } from "../core/model/records.ts";
import { isTerminal } from "../core/model/status.ts";
import type { InstancesInput } from "../ports/finding-service.ts";
import type { HostContext } from "./context.ts";
import type { InstancesRequest } from "./count-matching.ts";
import type { DeleteStore } from "./delete-family.ts";
import { deleteInstance } from "./delete-instance.ts";
import { controlInstance } from "./manage.ts";

/** An instance that a job has reached. */
export interface BulkItem {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  /** The code with which the action is known to be refused; null: try it. */
  readonly refusal: string | null;
}

/** A job under way. */
export interface BulkJob {
  readonly context: HostContext;
  readonly id: string;
  readonly act: BulkAct;
  readonly filter: InstancesInput;
  readonly request: InstancesRequest;
  /** By the database's clock, in epoch milliseconds. */
  readonly startedAt: number;
  /** The platform limits trips to the database. */
  readonly isCounted: boolean;
  /** Reports trips to the platform. */
  readonly countTrips: (made: number) => void;
}

/**
 * Acts on an instance once, however often it is called: commands carry the job's key, and a deleted instance is gone.
 *
 * @returns the code of the refusal; null: done
 * @throws temporary errors, after which the chunk is tried again
 */
export async function actOn(job: BulkJob, item: BulkItem): Promise<string | null> {
  if (item.refusal !== null) return item.refusal;
  const { workflowName: name, instanceId: id, runNumber: ifRunNumber } = item;
  const { context, act } = job;
  try {
    if (act === "delete") return await deleteEnded(job, item);
    const idempotencyKey = `bulk-${job.id}`;
    await controlInstance(context, { name }, { id, command: act, ifRunNumber, idempotencyKey });
    return null;
  } catch (error) {
    if (WorkflowError.is(error) && !error.retryable) return error.code;
    throw error;
  }
}

/** When an instance ended. An interrupted delete writes to the instance, but does not change its end. */
export const lastEndOf = ({ completedAt, updatedAt }: InstanceRecord): EpochMs =>
  completedAt ?? updatedAt;

/** Counts the extra trips of large families: one trip per instance is counted already. */
function countTrips(store: DeleteStore, { countTrips: count }: BulkJob): DeleteStore {
  const counted =
    <TRequest, TResult>(call: (request: TRequest) => Promise<TResult>) =>
    (request: TRequest): Promise<TResult> => {
      count(1);
      return call(request);
    };
  return {
    deleteExpired: (request) => store.deleteExpired(request),
    emptyExpired: counted((request) => store.emptyExpired(request)),
    findLive: counted((instances) => store.findLive(instances)),
    listChildren: counted((request) => store.listChildren(request)),
    loadInstance: (...ref) => store.loadInstance(...ref),
  };
}

/** Deletes an instance unless somebody has started it again while the job's process was down. */
async function deleteEnded(
  job: BulkJob,
  { workflowName: name, instanceId, runNumber }: BulkItem,
): Promise<string | null> {
  const { context, startedAt } = job;
  const found = await context.store.loadInstance(name, instanceId);
  if (found === null) return null;
  const hasEndedBefore = isTerminal(found.status) && lastEndOf(found) <= startedAt;
  // An interrupted delete has left an empty run.
  if (!hasEndedBefore && found.runNumber !== runNumber) return "RUN_NUMBER_MISMATCH";
  if (!hasEndedBefore && isTerminal(found.status)) return "STATUS_MISMATCH";
  await deleteInstance(
    { ...context, store: countTrips(context.store, job) },
    { name },
    { id: instanceId },
  );
  return null;
}
