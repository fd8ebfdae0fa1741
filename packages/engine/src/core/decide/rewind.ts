/**
 * What goes when a run is brought back to one of its steps, and what a fork is given: the steps that settled before it did.
 * Those that settled with it or later go, and so do all that are open; the scopes that it stands in are open again.
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

/** The lifecycle of a run that is rewound: whoever holds it loses it, and what is paused, or was to be, stays so. */
export const REWIND: LifecycleRule = {
  ...restart,
  run: "reopened",
  taskKind: "resume",
  transitions: { ...restart.transitions, waitingForPause: paused, paused },
};

/** What is looked at of a step. The result is read of loops only. */
export type RewindableStep = Pick<StepRecord, "stepKey" | "type" | "settledOrder" | "result">;

/**
 * Why a run cannot be brought back to a step. `stepNotFound`: it has none of that key. `runUndone`: its steps are undone, or are to be.
 * `stepPassed`: a loop that had begun before has written down a later position, and its earlier iterations may be gone.
 */
export type RewindRefusal = "stepNotFound" | "runUndone" | "stepPassed";

/** What becomes of the steps of a run. */
export interface RewindPlan<TStep extends RewindableStep> {
  /** Their rows go. */
  readonly removed: readonly TStep[];
  /** All others, those of `reopened` included. */
  readonly kept: readonly TStep[];
  /** Loops that go on at their position. */
  readonly reopened: readonly TStep[];
}

/** @param steps all of the run's @param stepKey of the first that is to run again */
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

/** A loop that had begun by then, and its position. */
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

/** Whether a step undoes another one. What stands in a scope may have that name too. */
function isUndo(
  { stepKey }: RewindableStep,
  byKey: ReadonlyMap<string, Pick<RewindableStep, "type">>,
): boolean {
  if (!stepKey.endsWith(`/${UNDO_NAME}`)) return false;
  const undone = byKey.get(stepKey.slice(0, -UNDO_NAME.length - 1));
  return undone !== undefined && !isScope(undone);
}

/** Whether an event comes back: the wait that took it goes, or has gone with an iteration of a loop that goes. */
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

/** What is kept of the names on a row: that the step has an undo. The others' bodies are to start anew. */
export function keepUndoName(stepKey: string, startedKeys: JsonText | null): JsonText | null {
  if (startedKeys === null) return null;
  const undoKey = toUndoKey(stepKey);
  const [first] = JSON.parse(startedKeys) as readonly string[];
  return first === undoKey ? JSON.stringify([undoKey]) : null;
}

/** How many rewinds of a run are told of. */
export const MAX_REWINDS_TOLD = 100;

const EVENT_PREFIX = "rewind ";

/** The type of the event that tells of a rewind: nobody can send or wait for one, since types have no spaces. */
export const toRewindEvent = (stepKey: string): string => `${EVENT_PREFIX}${stepKey}`;

export const isRewindEvent = ({ type }: Pick<EventRecord, "type">): boolean =>
  type.startsWith(EVENT_PREFIX);
