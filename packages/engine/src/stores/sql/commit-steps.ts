/** Trips whose first statement writes steps: it takes the locks that the fence would take. */
import type { Commit, StepChange } from "../../core/model/change.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { applyBatch, applyIfNew, type SqlContext } from "./apply-batch.ts";
import { parseAsked } from "./asked.ts";
import { changesLease } from "./commit-rows.ts";
import type { Fenced, HeldStepRow, LeasedRow } from "./rows.ts";
import type { PreparedRows, RunStatements } from "./run-statements.ts";
import { toStepRow, type StepWriteRow } from "./step-columns.ts";

/** The statement that writes the steps of a trip, and is its fence, too. */
export interface FencingSteps {
  /** For steps that may have a row. */
  readonly upsert: PreparedRows<HeldStepRow>;
  /** For steps that should have none; null: some may have one. */
  readonly insert: PreparedRows<HeldStepRow> | null;
}

/** Used if every run writes a step and no events are read; null: the trip needs a separate fence. */
export function toFencingSteps(
  statements: RunStatements,
  commits: readonly Commit[],
): FencingSteps | null {
  const goesOn = ({ outcome }: Commit): boolean => outcome.kind === "continue";
  const canFence = commits.every(
    (commit) =>
      commit.changes.some(isStep) &&
      !(commit.readsEvents && goesOn(commit)) &&
      !isInLoops(commit) &&
      !commit.changes.some(({ kind }) => kind === "messageEmitted"),
  );
  if (!canFence) return null;
  const areNew = commits.every(writesNewSteps);
  return commits.some(goesOn)
    ? {
        upsert: statements.commitGoingSteps,
        insert: areNew ? statements.commitNewGoingSteps : null,
      }
    : { upsert: statements.commitHeldSteps, insert: areNew ? statements.commitNewHeldSteps : null };
}

/**
 * Whether some steps are in loops, which may have removed their rows since. Then a fence comes first, so that the steps'
 * statement sees what was committed before the lock was taken. No commit comes after one that ends the lease.
 */
export const isInLoops = ({ changes, outcome }: Pick<Commit, "changes" | "outcome">): boolean =>
  outcome.kind === "continue" &&
  changes.some((change) => isStep(change) && change.loops !== undefined);

/** The version and loops of a step's write, by which later writes and removals are detected; nulls: the commit does not write the step. */
export function toWriteOf(
  { changes }: Commit,
  stepKey: string,
): { readonly version: number | null; readonly loops: string | null } {
  const change = changes.find((one) => isStep(one) && one.step.stepKey === stepKey);
  if (change === undefined || !isStep(change)) return { version: null, loops: null };
  const { version, loops } = change;
  return { version, loops: loops === undefined ? null : JSON.stringify(loops) };
}

const isStep = (change: Commit["changes"][number]): change is StepChange => change.kind === "step";

/** Whether none of the steps has a row, unless an earlier try of the commit has written it. */
const writesNewSteps = ({ changes, isRepeat }: Commit): boolean =>
  isRepeat !== true && changes.every((change) => !isStep(change) || change.version === 0);

export function toFenceRows(
  steps: readonly StepWriteRow[],
  held: readonly HeldStepRow[],
): readonly Fenced[] {
  const taskOf = new Map(steps.map(({ id, taskId }) => [id, taskId]));
  return held.map(({ id, now, asked }) => ({
    taskId: taskOf.get(id) ?? "",
    now,
    ...parseAsked(asked),
  }));
}

/** The one step of a boundary that is alone in its trip and does nothing else. */
export interface LoneStep {
  readonly lease: LeasedRow;
  readonly change: StepChange;
  readonly isNew: boolean;
}

/** null: there is more to do. */
export function toLoneStep(commits: readonly Commit[]): LoneStep | null {
  const [commit] = commits;
  if (commits.length !== 1 || commit === undefined) return null;
  const { lease, changes, outcome, readsEvents } = commit;
  const [change] = changes;
  if (changes.length !== 1 || change?.kind !== "step" || change.step.type === "waitForTopic")
    return null;
  const goesOn = outcome.kind === "continue" && !changesLease(commit) && change.loops === undefined;
  return goesOn && !readsEvents ? { lease, change, isNew: writesNewSteps(commit) } : null;
}

export async function commitLoneStep(
  { database, statements }: Pick<SqlContext, "database" | "statements">,
  { lease, change, isNew }: LoneStep,
): Promise<CommitResult> {
  const row = toStepRow(lease, change);
  const asNew = isNew
    ? await applyIfNew(database, { step: statements.commitNewLoneStep(row) })
    : null;
  const answers = asNew ?? (await applyBatch(database, { step: statements.commitLoneStep(row) }));
  const [held] = answers.step;
  if (held === undefined) return { kind: "conflict" };
  return {
    kind: "committed",
    now: held.now,
    ...parseAsked(held.asked),
    paused: false,
    events: [],
    hasMoreEvents: false,
    dueAt: null,
  };
}
