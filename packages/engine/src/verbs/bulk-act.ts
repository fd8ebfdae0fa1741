/** @module What a bulk job does to one instance. Loaded with the first one that runs. */
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

/** An instance that a job has met. */
export interface BulkItem {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  /** Code of what is known to be refused; null: it is tried. */
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
  /** The platform counts trips to the database. */
  readonly isCounted: boolean;
  /** Tells it that so many are made. */
  readonly countTrips: (made: number) => void;
}

/**
 * Does it once, however often it is asked to: a command carries the job's key, and what is deleted is gone.
 *
 * @returns code of the refusal; null: it is done
 * @throws what may heal: the chunk is tried again
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

/** When it came to rest. One whose delete was cut short was written to since, and has ended as before. */
export const lastEndOf = ({ completedAt, updatedAt }: InstanceRecord): EpochMs =>
  completedAt ?? updatedAt;

/** A large family takes more trips than the one that is counted for each instance. */
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
  };
}

/** Somebody may have begun it anew while the job's process was down. */
async function deleteEnded(
  job: BulkJob,
  { workflowName: name, instanceId, runNumber }: BulkItem,
): Promise<string | null> {
  const { context, startedAt } = job;
  const found = await context.store.loadInstance(name, instanceId);
  if (found === null) return null;
  const hasEndedBefore = isTerminal(found.status) && lastEndOf(found) <= startedAt;
  // A delete that was cut short has left it an empty run.
  if (!hasEndedBefore && found.runNumber !== runNumber) return "RUN_NUMBER_MISMATCH";
  if (!hasEndedBefore && isTerminal(found.status)) return "STATUS_MISMATCH";
  await deleteInstance({ ...context, store: countTrips(context.store, job) }, { name }, instanceId);
  return null;
}
