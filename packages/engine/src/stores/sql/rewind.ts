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
import { queryGiven, queryText as query } from "./late-statements.ts";
import { type Locking, toLocking } from "./locked.ts";
import { toTaskRow } from "./create.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, LockedRow, Query } from "./rows.ts";
import { insertTasks } from "./statements/create.ts";
import { copySteps, insertFork, unmarkFork } from "./statements/fork.ts";
import { loadInstance } from "./statements/load-instance.ts";
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

/** Statements by name, in their order. */
type Batch<TAnswered> = Readonly<Record<string, Query<unknown>>> &
  Locking & {
    readonly judged: Query<AimRow>;
  } & { readonly [TName in keyof TAnswered]: Query<TAnswered[TName]> };

/** The statements of a rewind. */
export function toRewindBatch(
  dialect: Dialect,
  request: RewindRequest,
): Batch<{ readonly updated: InstanceRow }> {
  const { workflowName, instanceId, ifRunNumber, controlKey, stepKey, taskRowId } = request;
  const { eventRowId: mark, keepsKeys } = request;
  const control = controlRewound(dialect, keepsKeys);
  const meant = [workflowName, instanceId, ifRunNumber, withoutInputs(controlKey)] as const;
  const demand = [stepKey, toAround(stepKey), toStatuses(request)] as const;
  return {
    ...toLocking(dialect, request),
    judged: judge(dialect, request),
    marked: query(
      markRewind(dialect, keepsKeys),
      ...meant,
      ...demand,
      mark,
      toRewindEvent(stepKey),
    ),
    returned: query(returnEvents(dialect), mark),
    ...(keepsKeys ? { left: query(leaveRows(dialect), mark) } : {}),
    removed: query(removeSteps(dialect, keepsKeys), mark),
    ...leaveFamilies(dialect, mark),
    reopened: query(reopenLoops(dialect), mark),
    deleted: query(control.deleteTask, ...meant, mark),
    inserted: query(control.insertTask ?? "", ...meant, taskRowId, mark),
    updated: query<InstanceRow>(control.updateInstance, ...meant, mark, controlKey),
    forgotten: query(forgetRewinds(dialect), mark),
    delivered: query(deliverRewind(dialect), mark),
  };
}

export async function rewindInstance(
  { database, dialect }: SqlContext,
  request: RewindRequest,
): Promise<RewindResult> {
  const {
    locked: [before],
    judged: [judged],
    updated: [after],
  } = await applyBatch(database, toRewindBatch(dialect, request));
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
      query(text, mark),
    ]),
  );

/** The statements of a fork. */
export function toForkBatch(
  dialect: Dialect,
  request: ForkRequest,
): Batch<{ readonly created: InstanceRow & { readonly id: string } }> {
  const { workflowName, instanceId, ifRunNumber, stepKey, create, keepsParams } = request;
  const { instanceRowId } = create;
  const demand = [ifRunNumber, stepKey, toAround(stepKey), toStatuses(request)] as const;
  const source = [workflowName, instanceId, ...demand, instanceRowId] as const;
  const params = [create.params, Number(keepsParams)] as const;
  return {
    ...toLocking(dialect, request),
    judged: judge(dialect, request),
    inserted: query(
      insertFork(dialect),
      ...source,
      create.instanceId,
      ...params,
      create.traceContext ?? null,
    ),
    started: queryGiven(dialect, insertTasks, [toTaskRow(create)]),
    copied: query(copySteps(dialect), ...source, request.stepRowIds),
    unmarked: query(unmarkFork(dialect), instanceRowId),
    created: query<InstanceRow>(loadInstance(dialect), workflowName, create.instanceId),
  };
}

export async function forkInstance(
  { database, dialect }: SqlContext,
  request: ForkRequest,
): Promise<ForkResult> {
  const { instanceRowId } = request.create;
  const {
    locked: [before],
    judged: [judged],
    created: [row],
  } = await applyBatch(database, toForkBatch(dialect, request));
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
