/** The memory store's tables: maps of records that are replaced and never changed. */
import { leaseMsOf, toLeaseToken } from "../../core/lease.ts";
import type { TaskFacts } from "../../core/explain/facts.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type {
  DurationMs,
  EpochMs,
  EventRecord,
  InstanceRecord,
  JsonText,
  Lease,
  RunRef,
  StepRecord,
} from "../../core/model/records.ts";
import type { TaskKind } from "../../core/model/status.ts";
import type { ProgressRecord } from "../../core/progress.ts";
import type { StagedRecord } from "../../ports/move.ts";
import { InstanceTable } from "./instance-table.ts";
import type { MemoryTopic } from "./topic-state.ts";

export interface MemoryInstance extends InstanceRecord {
  readonly rowId: string;
  readonly controlKey: string | null;
  /** The number of the run in idempotency keys; null: its run number. */
  readonly keyNumber: number | null;
  /** The name of the commit that last parked, released, paused or ended the run. */
  readonly endedBy: string | null;
  /** As in `NewInstance`. */
  readonly traceContext?: string | null;
}

/** A step's record, and the names on its row. */
export interface MemoryStep extends StepRecord {
  readonly startedKeys: JsonText | null;
}

export interface MemoryEvent extends EventRecord {
  readonly reply: JsonText | null;
}

export interface MemoryTask extends TaskFacts {
  readonly id: string;
  readonly run: RunRef;
  /** The token of the claim that holds the lease. */
  readonly lockOwner: string | null;
  /** How many claims have taken the task. */
  readonly claimNumber: number;
  /** The number of the lease's last commit. */
  readonly lastCommit?: number;
}

/** A kept entry of progress. */
export interface MemoryEntry extends ProgressRecord {
  readonly sizeBytes: number;
}

/** The progress stream of an instance. */
export interface MemoryProgress {
  /** The token of the lease under which the newest entry was added, and the number of its commit. */
  readonly token: string;
  readonly commitNumber: number;
  /** Oldest first. */
  readonly entries: readonly MemoryEntry[];
}

export interface MemoryState {
  readonly now: () => EpochMs;
  /** By workflow name and instance id. */
  readonly instances: InstanceTable<MemoryInstance>;
  /** By task id. At most one per run. */
  readonly tasks: TaskTable;
  /** By run, then by step key. */
  readonly steps: Map<string, Map<string, MemoryStep>>;
  /** By run, in sequence order. */
  readonly events: Map<string, MemoryEvent[]>;
  /** By name. */
  readonly topics: Map<string, MemoryTopic>;
  /** By instance. */
  readonly progress: Map<string, MemoryProgress>;
  /** Staged records by import and record. Nothing sees them before the import is finished. */
  readonly imports: Map<string, Map<string, StagedRecord>>;
  sequence: number;
}

/** Tasks by id, which finds that of a run without a search: a family has thousands. */
class TaskTable extends Map<string, MemoryTask> {
  readonly #ids = new Map<string, string>();

  override set(id: string, task: MemoryTask): this {
    this.#forget(id);
    this.#ids.set(runKey(task.run), id);
    return super.set(id, task);
  }

  override delete(id: string): boolean {
    this.#forget(id);
    return super.delete(id);
  }

  ofRun(run: RunRef): MemoryTask | null {
    return this.get(this.#ids.get(runKey(run)) ?? "") ?? null;
  }

  /** The run of a task may change: that of a restart is another one. */
  #forget(id: string): void {
    const task = this.get(id);
    if (task !== undefined && this.#ids.get(runKey(task.run)) === id)
      this.#ids.delete(runKey(task.run));
  }
}

export const emptyState = (now: () => EpochMs): MemoryState => ({
  now,
  instances: new InstanceTable(),
  tasks: new TaskTable(),
  steps: new Map(),
  events: new Map(),
  topics: new Map(),
  progress: new Map(),
  imports: new Map(),
  sequence: 0,
});

export const runKey = (run: RunRef): string => `${instanceKey(run)}\u0000${run.runNumber}`;

export const toRunRef = (run: RunRef): RunRef => ({
  workflowName: run.workflowName,
  instanceId: run.instanceId,
  runNumber: run.runNumber,
});

/** The task of a lease that is still held. */
export function heldTask(state: MemoryState, lease: Lease): MemoryTask | null {
  const task = state.tasks.get(lease.taskId);
  return task !== undefined && task.status === "processing" && tokenOf(task) === lease.token
    ? task
    : null;
}

/** The token of a task's lease. */
export const tokenOf = ({ lockOwner, claimNumber }: MemoryTask): string =>
  toLeaseToken(lockOwner ?? "", claimNumber);

export const taskOf = (state: MemoryState, run: RunRef): MemoryTask | null =>
  state.tasks.ofRun(run);

export function toRecord(instance: MemoryInstance): InstanceRecord {
  const {
    rowId: _rowId,
    controlKey: _controlKey,
    keyNumber: _keyNumber,
    endedBy: _endedBy,
    traceContext: _traceContext,
    ...record
  } = instance;
  return record;
}

export function toEventRecord(event: MemoryEvent): EventRecord {
  const { reply: _reply, traceContext: _traceContext, ...record } = event;
  return record;
}

export const isDue = (task: MemoryTask, now: EpochMs): boolean =>
  task.status === "pending"
    ? task.runAt <= now
    : task.lockedUntil !== null && task.lockedUntil <= now;

/** The task as a claim holds it. */
export const claimTask = (
  task: MemoryTask,
  claim: { readonly token: string; readonly leaseMs: DurationMs; readonly now: EpochMs },
): MemoryTask => ({
  ...task,
  status: "processing",
  attempts: task.attempts + 1,
  lockOwner: claim.token,
  claimNumber: task.claimNumber + 1,
  lockedUntil: claim.now + leaseMsOf(claim.leaseMs, task.attempts + 1),
  lastCommit: 0,
});

/** Of a task that no claim has taken. */
export const NEVER_CLAIMED = {
  status: "pending",
  attempts: 0,
  lockOwner: null,
  claimNumber: 0,
  lockedUntil: null,
} as const;

/** The task as it waits to be due. */
export const pendingTask = (task: MemoryTask, kind: TaskKind, runAt: EpochMs): MemoryTask => ({
  ...task,
  kind,
  runAt,
  status: "pending",
  attempts: 0,
  lockOwner: null,
  lockedUntil: null,
});
