/** `Store.rewind` and `Store.fork`, each in one batch. Loaded with the first call. */
import type { Dialect } from "@escapement/db/client";
import { mismatchOf, repetitionOf, withoutInputs } from "../../core/decide/demand.ts";
import { REWIND, toRewindEvent } from "../../core/decide/rewind.ts";
import { enclosingKeys } from "../../core/enclosing-scopes.ts";
import { iterationOf } from "../../core/iteration-key.ts";
import type {
  ForkRequest,
  ForkResult,
  RewindDemand,
  RewindRequest,
  RewindResult,
} from "../../ports/rewind.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { queryText as query } from "./late-statements.ts";
import { type RareContext, toRareContext } from "./rare-statements.ts";
import { toTaskRow } from "./create.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, LockedRow, Query } from "./rows.ts";
import { copySteps, insertFork, unmarkFork } from "./statements/fork.ts";
import { toStatuses } from "./statements/demand.ts";
import {
  controlRewound,
  deliverRewind,
  forgetRewinds,
  leaveRemoved,
  leaveRows,
  markRewind,
  removeSteps,
  reopenLoops,
  returnEvents,
} from "./statements/rewind.ts";
import { type AimRow, judgeAim } from "./statements/rewind-aim.ts";

/** The parts of the store's statement set that these batches use. */
export type RewindParts = Pick<RareContext, "dialect"> & {
  readonly statements: Pick<
    RareContext["statements"],
    "lockTask" | "lockInstance" | "insertTasks" | "loadInstance"
  >;
};

/** Statements by name, in their order. */
type Batch<TAnswered> = Readonly<Record<string, Query<unknown>>> & {
  readonly locked: Query<LockedRow>;
  readonly judged: Query<AimRow>;
} & { readonly [TName in keyof TAnswered]: Query<TAnswered[TName]> };

/** The statements of a rewind. */
export function toRewindBatch(
  { dialect, statements }: RewindParts,
  request: RewindRequest,
): Batch<{ readonly updated: InstanceRow }> {
  const { workflowName, instanceId, ifRunNumber, controlKey, stepKey, taskRowId } = request;
  const { eventRowId: mark, keepsKeys } = request;
  const control = controlRewound(dialect, keepsKeys);
  const meant = [workflowName, instanceId, ifRunNumber, withoutInputs(controlKey)] as const;
  const demand = [stepKey, toAround(stepKey), toStatuses(request)] as const;
  return {
    task: statements.lockTask(workflowName, instanceId),
    locked: statements.lockInstance(workflowName, instanceId),
    judged: judge(dialect, request),
    marked: query<never>(
      markRewind(dialect, keepsKeys),
      ...meant,
      ...demand,
      mark,
      toRewindEvent(stepKey),
    ),
    returned: query<never>(returnEvents(dialect), mark),
    ...(keepsKeys ? { left: query<never>(leaveRows(dialect), mark) } : {}),
    removed: query<never>(removeSteps(dialect, keepsKeys), mark),
    ...leaveFamilies(dialect, mark),
    reopened: query<never>(reopenLoops(dialect), mark),
    deleted: query<never>(control.deleteTask, ...meant, mark),
    inserted: query<never>(control.insertTask ?? "", ...meant, taskRowId, mark),
    updated: query<InstanceRow>(control.updateInstance, ...meant, mark, controlKey),
    forgotten: query<never>(forgetRewinds(dialect), mark),
    delivered: query<never>(deliverRewind(dialect), mark),
  };
}

export async function rewindInstance(
  context: SqlContext,
  request: RewindRequest,
): Promise<RewindResult> {
  const { database, statements } = toRareContext(context);
  const parts = { dialect: database.dialect, statements };
  const {
    locked: [before],
    judged: [judged],
    updated: [after],
  } = await applyBatch(database, toRewindBatch(parts, request));
  if (before === undefined) return { kind: "notFound" };
  const instance = toInstanceRecord(after ?? before);
  if (after !== undefined) {
    const woke = REWIND.transitions[before.status]?.task === "enqueue";
    return { kind: "applied", instance, woke };
  }
  const repetition = repetitionOf(before, request);
  if (repetition === "keyConflict") return { kind: repetition, instance };
  const refusal = repetition === "repeated" ? null : toRefusal(request, before, judged);
  return refusal ?? { kind: "applied", instance, woke: false };
}

const leaveFamilies = (dialect: Dialect, mark: string): Readonly<Record<string, Query<never>>> =>
  Object.fromEntries(
    Object.entries(leaveRemoved(dialect)).map(([name, text]) => [
      `left ${name}`,
      query<never>(text, mark),
    ]),
  );

/** The statements of a fork. */
export function toForkBatch(
  { dialect, statements }: RewindParts,
  request: ForkRequest,
): Batch<{ readonly created: InstanceRow & { readonly id: string } }> {
  const { workflowName, instanceId, ifRunNumber, stepKey, create, keepsParams } = request;
  const { instanceRowId } = create;
  const demand = [ifRunNumber, stepKey, toAround(stepKey), toStatuses(request)] as const;
  const source = [workflowName, instanceId, ...demand, instanceRowId] as const;
  const params = [create.params, Number(keepsParams)] as const;
  return {
    task: statements.lockTask(workflowName, instanceId),
    locked: statements.lockInstance(workflowName, instanceId),
    judged: judge(dialect, request),
    inserted: query<never>(
      insertFork(dialect),
      ...source,
      create.instanceId,
      ...params,
      create.traceContext ?? null,
    ),
    started: statements.insertTasks([toTaskRow(create)]),
    copied: query<never>(copySteps(dialect), ...source, request.stepRowIds),
    unmarked: query<never>(unmarkFork(dialect), instanceRowId),
    created: statements.loadInstance(workflowName, create.instanceId),
  };
}

export async function forkInstance(context: SqlContext, request: ForkRequest): Promise<ForkResult> {
  const { database, statements } = toRareContext(context);
  const { instanceRowId } = request.create;
  const parts = { dialect: database.dialect, statements };
  const {
    locked: [before],
    judged: [judged],
    created: [row],
  } = await applyBatch(database, toForkBatch(parts, request));
  if (row?.id === instanceRowId) return { kind: "created", instance: toInstanceRecord(row) };
  if (before === undefined) return { kind: "notFound" };
  const refusal = toRefusal(request, before, judged);
  if (refusal !== null || row === undefined) return refusal ?? { kind: "notFound" };
  return { kind: "exists", instance: toInstanceRecord(row) };
}

/** null: it is allowed. */
function toRefusal(
  demand: RewindDemand,
  before: LockedRow,
  judged: AimRow | undefined,
): Exclude<RewindResult, { readonly kind: "applied" }> | null {
  const instance = toInstanceRecord(before);
  const mismatch = mismatchOf(before, demand);
  if (mismatch !== null) return { kind: mismatch, instance };
  if (Number(judged?.isUndone) === 1) return { kind: "runUndone", instance };
  if (Number(judged?.isFound) !== 1) return { kind: "stepNotFound", instance };
  return Number(judged?.isPassed) === 1 ? { kind: "stepPassed", instance } : null;
}

const judge = (
  dialect: Dialect,
  { workflowName, instanceId, stepKey }: RewindDemand,
): Query<AimRow> => query(judgeAim(dialect), workflowName, instanceId, stepKey, toAround(stepKey));

/** The places around a step, as rows of JSON. */
const toAround = (stepKey: string): string =>
  JSON.stringify(
    enclosingKeys(stepKey).map((key) => ({ stepKey: key, iteration: iterationOf(stepKey, key) })),
  );
