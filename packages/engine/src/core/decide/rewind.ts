/**
 * Decides what a rewind to a step removes, and what a fork is given: the steps that settled before that step. Steps that settled
 * with it or later are removed, and so are all open steps; the scopes around it are open again.
 *
 * `stores/sql/statements/rewind.ts` says the same in SQL.
 */
import { enclosingKeys } from "../enclosing-scopes.ts";
import type { EventRecord, InstanceRecord, JsonText, StepRecord } from "../model/records.ts";
import { isScope } from "../model/status.ts";
import { isBelow, toUndoKey, UNDO_NAME } from "../step-key.ts";
import { iterationOf } from "../iteration-key.ts";
import { type LifecycleRule, paused, restart } from "./lifecycle.ts";
import { parseLoopPosition } from "../history/loop-position.ts";

/** The lifecycle rule of a rewind: a process that holds the run loses it, and a run that is paused or about to be paused stays so. */
export const REWIND: LifecycleRule = {
  ...restart,
  run: "reopened",
  taskKind: "resume",
  transitions: { ...restart.transitions, waitingForPause: paused, paused },
};

/** The columns of a step that are read. The result is read only for loops. */
export type RewindableStep = Pick<StepRecord, "stepKey" | "type" | "settledOrder" | "result">;

/**
 * Why a run cannot be rewound to a step. `stepNotFound`: it has no step with that key. `runUndone`: its steps are undone, or are to
 * be. `stepPassed`: a loop that began before the step has since stored a later position, so its earlier iterations may be gone.
 */
export type RewindRefusal = "stepNotFound" | "runUndone" | "stepPassed";

/**
 * Whether a removed step leaves an open row, because the run keeps its idempotency keys: the row has the number of the next
 * child, which is part of that child's id.
 */
export const leavesRow = ({ type }: Pick<StepRecord, "type">, keepsKeys: boolean): boolean =>
  keepsKeys && type === "invoke";

/** The payload of the event that records a rewind. */
export const toRewindPayload = (removedSteps: number | string, keepsKeys: boolean): JsonText =>
  `{"removedSteps":${removedSteps}${keepsKeys ? `,"keepsKeys":true` : ""}}`;

/** What happens to the steps of a run. */
export interface RewindPlan<TStep extends RewindableStep> {
  /** Their rows are removed. */
  readonly removed: readonly TStep[];
  /** All other steps, including `reopened`. */
  readonly kept: readonly TStep[];
  /** Loops that continue at their position. */
  readonly reopened: readonly TStep[];
}

/** @param steps all steps of the run @param stepKey the key of the first step that is to run again */
export function planRewind<TStep extends RewindableStep>(
  { error, endRequested }: Pick<InstanceRecord, "error" | "endRequested">,
  steps: readonly TStep[],
  stepKey: string,
): RewindPlan<TStep> | RewindRefusal {
  const byKey = new Map(steps.map((step) => [step.stepKey, step]));
  const isUndone = steps.some((step) => isUndo(step, byKey));
  if (error?.code === "ROLLED_BACK" || endRequested === "rollback" || isUndone) return "runUndone";
  const target = byKey.get(stepKey);
  if (target === undefined) return "stepNotFound";
  const around = enclosingKeys(stepKey).flatMap((key) => byKey.get(key) ?? []);
  const from = Math.min(...[target, ...around.filter(isScope)].map(orderOf));
  const ends = steps.filter((step) => orderOf(step) >= from);
  const loops = ends.flatMap((step) => toOpenLoop(step, from));
  const isPassed = loops.some(
    ({ step, after, iteration }) =>
      after >= from || (iterationOf(stepKey, step.stepKey) ?? iteration) < iteration,
  );
  if (isPassed) return "stepPassed";
  const reopened = loops.map(({ step }) => step);
  const removed = new Set(ends);
  for (const step of reopened) removed.delete(step);
  return {
    removed: [...removed],
    kept: steps.filter((step) => !removed.has(step)),
    reopened,
  };
}

/** A loop that began before the step, open again at its position. */
function toOpenLoop<TStep extends RewindableStep>(
  step: TStep,
  from: number,
): readonly { readonly step: TStep; readonly after: number; readonly iteration: number }[] {
  if (step.type !== "loop" || step.result === null) return [];
  const { since, after, iteration } = parseLoopPosition(step.result);
  return since >= from ? [] : [{ step, after, iteration }];
}

const orderOf = ({ settledOrder }: Pick<RewindableStep, "settledOrder">): number =>
  settledOrder ?? Infinity;

/** Whether a step undoes another one. A step inside a scope may have the same name. */
function isUndo(
  { stepKey }: RewindableStep,
  byKey: ReadonlyMap<string, Pick<RewindableStep, "type">>,
): boolean {
  if (!stepKey.endsWith(`/${UNDO_NAME}`)) return false;
  const undone = byKey.get(stepKey.slice(0, -UNDO_NAME.length - 1));
  return undone !== undefined && !isScope(undone);
}

/** Whether an event becomes available again: the wait that took it is removed, or was removed with an iteration of a loop that goes. */
export function createReturned<TStep extends RewindableStep>({
  removed,
  kept,
}: Pick<RewindPlan<TStep>, "removed" | "kept">): (
  event: Pick<EventRecord, "consumedByStepKey">,
) => boolean {
  const goes = new Set(removed.map(({ stepKey }) => stepKey));
  const stays = new Set(kept.map(({ stepKey }) => stepKey));
  const loops = kept.filter(({ type }) => type === "loop");
  return ({ consumedByStepKey: by }) =>
    by !== null &&
    (goes.has(by) || !(stays.has(by) || loops.some(({ stepKey }) => isBelow(by, stepKey))));
}

/** The part of a row's names that stays: that the step has an undo. The bodies of the other steps start again. */
export function keepUndoName(stepKey: string, startedKeys: JsonText | null): JsonText | null {
  if (startedKeys === null) return null;
  const undoKey = toUndoKey(stepKey);
  const [first] = JSON.parse(startedKeys) as readonly string[];
  return first === undoKey ? JSON.stringify([undoKey]) : null;
}

/** How many rewinds of a run are listed. */
export const MAX_REWINDS_TOLD = 100;

const EVENT_PREFIX = "rewind ";

/** The type of the event that records a rewind. It contains a space, so nobody can send it or wait for it. */
export const toRewindEvent = (stepKey: string): string => `${EVENT_PREFIX}${stepKey}`;

export const isRewindEvent = ({ type }: Pick<EventRecord, "type">): boolean =>
  type.startsWith(EVENT_PREFIX);
