/**
 * @module Undoes what a run has done: runs the undo of each completed step, the last one first. Each undo is a step of its own,
 * `pay/undo` for `pay`, so that a replay continues where the last one stopped. Loaded when a run first rolls back.
 */
import { WorkflowError } from "../core/errors.ts";
import { decodeJson } from "../core/codec.ts";
import { isSettled } from "../core/history/history.ts";
import type { JsonText, SettledStep } from "../core/model/records.ts";
import { toUndoKey, UNDO_NAME } from "../core/step-key.ts";
import type { WorkflowStep } from "../authoring/step.ts";
import { cancelBelow, cancelUnbegun } from "./scopes/leftovers.ts";
import type { Session } from "./session-interface.ts";

interface Undoable {
  readonly stepKey: string;
  readonly settledOrder: number;
  readonly result: JsonText | null;
}

/**
 * Undoes everything, after running bodies have ended: what they do is undone, too.
 *
 * @param stepsAt the steps of a place of its own, by its path
 * @throws {WorkflowError} UNDO_MISSING, ROLLBACK_FAILED
 */
export async function rollBack(
  session: Session,
  stepsAt: (path: string) => Pick<WorkflowStep, "do">,
): Promise<void> {
  cancelUnbegun(session);
  session.stepLimit.lift();
  await new Promise<void>((resolve) => void session.onQuiet.push(resolve));
  cancelBelow(session, "");
  const undoable = findUndoable(session);
  assertAllThere(session, undoable);
  const hasUndone = ({ stepKey }: Undoable) => session.known.recordOf(toUndoKey(stepKey)) !== null;
  session.starts.undoesFirst = !undoable.some(hasUndone);
  for (const [index, step] of undoable.entries())
    await undo(session, stepsAt, step).catch((error: unknown) => {
      throw undoFailed(
        step.stepKey,
        error,
        undoable.slice(index + 1).map(({ stepKey }) => stepKey),
      );
    });
}

async function undo(
  { undos }: Session,
  stepsAt: (path: string) => Pick<WorkflowStep, "do">,
  { stepKey, result }: Undoable,
): Promise<void> {
  const found = undos.find(stepKey);
  if (found === null) return;
  const { run, ...config } = found;
  await stepsAt(stepKey).do(UNDO_NAME, config, async (context) => {
    await run(decodeJson(result), context);
  });
}

/** Completed steps that have an undo, or had one when they completed: the last one first. */
function findUndoable({ known, undos }: Session): readonly Undoable[] {
  const undoable: Undoable[] = [];
  for (const stepKey of known.stepKeys) {
    const record = known.recordOf(stepKey);
    if (record === null || !isSettled(record) || record.status !== "completed") continue;
    if (undos.find(stepKey) === null && !namesUndo(record)) continue;
    const { settledOrder, result } = record;
    undoable.push({ stepKey, settledOrder, result });
  }
  return undoable.toSorted((a, b) => b.settledOrder - a.settledOrder);
}

/** Whether the row of a completed step says that it has an undo. */
const namesUndo = ({ stepKey, startedKeys }: SettledStep): boolean =>
  startedKeys !== null &&
  (JSON.parse(startedKeys) as readonly string[]).includes(toUndoKey(stepKey));

/** Throws if an undo is missing. Then nothing is undone, because the missing one may have to come first. */
function assertAllThere({ undos }: Session, undoable: readonly Undoable[]): void {
  const stepKeys = undoable.map(({ stepKey }) => stepKey).filter((key) => undos.find(key) === null);
  if (stepKeys.length === 0) return;
  throw new WorkflowError(
    "UNDO_MISSING",
    `the run is to be rolled back, but the code no longer has the undo of ${stepKeys.slice(0, MAX_NAMED).join(", ")}; nothing was undone`,
    { stepKeys: stepKeys.slice(0, MAX_NAMED) },
  );
}

/** How many steps an error names. */
const MAX_NAMED = 20;

const undoFailed = (stepKey: string, cause: unknown, left: readonly string[]): WorkflowError =>
  new WorkflowError(
    "ROLLBACK_FAILED",
    `the undo of step "${stepKey}" failed; steps that completed before it and are not undone: ${left.length}`,
    { stepKey, left: left.slice(0, MAX_NAMED) },
    cause,
  );
