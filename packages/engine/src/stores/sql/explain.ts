/** @module Reads the facts that explain an instance. Loaded with the first call. */
import {
  type ChildFacts,
  type EventCount,
  type ExplainFacts,
  MOST_FACTS,
  type OpenStep,
  type TaskFacts,
  toErrorFacts,
} from "../../core/explain/facts.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toDivergedSteps } from "./instance-detail.ts";
import { query } from "./late-statements.ts";
import { toError } from "./records.ts";
import type { ErrorColumns, InstanceRow } from "./rows.ts";
import {
  countEventTypes,
  selectChildren,
  selectOpenSteps,
  selectState,
} from "./statements/explain.ts";

/** The members of the task are all null, or none is. */
type StateRow = InstanceRow & {
  /** Some drivers return it as text. */
  readonly now: number | string;
  readonly taskKind: TaskFacts["kind"] | null;
  readonly taskStatus: TaskFacts["status"] | null;
  readonly runAt: number | null;
  readonly lockedUntil: number | null;
  readonly taskAttempts: number | null;
};

type OpenStepRow = Omit<OpenStep, "error"> & Pick<ErrorColumns, "errorName" | "errorMessage">;

/** The count is a bigint, which some drivers return as text. */
type CountRow = Omit<EventCount, "count"> & { readonly count: number | string };

export async function loadFacts(
  { database, dialect }: SqlContext,
  { workflowName, instanceId }: InstanceRef,
): Promise<ExplainFacts | null> {
  const ref = [workflowName, instanceId] as const;
  const { state, steps, events, children } = await applyBatch(database, {
    state: query<StateRow>(dialect, selectState, ...ref),
    steps: query<OpenStepRow>(dialect, selectOpenSteps, ...ref),
    events: query<CountRow>(dialect, countEventTypes, ...ref),
    children: query<ChildFacts>(dialect, selectChildren, ...ref),
  });
  const [row] = state;
  if (row === undefined) return null;
  return {
    now: Number(row.now),
    instance: toInstanceFacts(row),
    task: toTaskFacts(row),
    openSteps: steps.slice(0, MOST_FACTS).map(toOpenStep),
    hasMoreSteps: steps.length > MOST_FACTS,
    events: events.slice(0, MOST_FACTS).map(({ type, count }) => ({ type, count: Number(count) })),
    hasMoreTypes: events.length > MOST_FACTS,
    children,
  };
}

const toInstanceFacts = (row: StateRow): ExplainFacts["instance"] => ({
  workflowName: row.workflowName,
  instanceId: row.instanceId,
  runNumber: row.runNumber,
  status: row.status,
  error: toErrorFacts(toError(row)),
  diverged: toDivergedSteps(row.errorDetail),
  pauseRequested: Boolean(row.pauseRequested),
  endRequested: row.endRequested,
  retryCount: row.retryCount ?? 0,
  deadlineAt: row.deadlineAt,
  updatedAt: row.updatedAt,
  startedAt: row.startedAt,
  completedAt: row.completedAt,
});

function toTaskFacts(row: StateRow): TaskFacts | null {
  const { taskKind: kind, taskStatus: status, runAt, lockedUntil, taskAttempts } = row;
  return kind === null || status === null || runAt === null
    ? null
    : { kind, status, runAt, lockedUntil, attempts: taskAttempts ?? 0 };
}

const toOpenStep = ({ errorName, errorMessage, ...step }: OpenStepRow): OpenStep => ({
  ...step,
  error: errorName === null ? null : toErrorFacts({ name: errorName, message: errorMessage ?? "" }),
});
