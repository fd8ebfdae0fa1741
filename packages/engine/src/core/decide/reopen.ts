/**
 * What `retry` makes of the steps of a run that failed. What ended the run is undone: the failed steps that its error is
 * of, what failed or was cancelled since, the scopes that ended with them and, in those, what their other branches failed
 * with; and all that the run's end closed. Nothing else is touched: no completed step, nothing inside a scope that
 * completed but an undo that failed, no failure that author code caught before and went on from. Of a run that failed by its deadline, the failed steps are
 * those that were told of it.
 *
 * `stores/sql/statements/reopen-steps.ts` says the same in SQL.
 */
import { toDetailText } from "../stored-error.ts";
import type { EpochMs, ErrorRecord, StepRecord } from "../model/records.ts";
import { UNDO_NAME } from "../step-key.ts";
import { isEventWait, isScope, type StepStatus, type StepType } from "../model/status.ts";

/** The columns of a step that are read. */
export type EndedStep = Pick<StepRecord, "stepKey" | "type" | "status" | "error" | "settledOrder">;

/**
 * Finds the steps of a failed run that are to be open again.
 *
 * @param error the error that ended the run
 * @param steps all steps of the run
 */
export function findReopened<TStep extends EndedStep>(
  error: ErrorRecord | null,
  steps: readonly TStep[],
): readonly TStep[] {
  const scopes = new Map(steps.filter(isScope).map((step) => [step.stepKey, step]));
  const undoable = steps.filter(
    (step) =>
      (step.status === "errored" || step.status === "cancelled") &&
      (isUndo(error, step) ||
        !outerKeys(step.stepKey).some((key) => scopes.get(key)?.status === "completed")),
  );
  const failures = undoable.filter((step) => step.status === "errored" && !isClosedStep(step));
  const told = failures.filter((step) => isOfDeadline(error, step));
  const from = told.length > 0 ? Math.min(...told.map(orderOf)) : findFailure(error, failures);
  const base = undoable.filter((step) => isClosedStep(step) || orderOf(step) >= from);
  return withInner(base, undoable, new Places(scopes, failures));
}

/** The order of the first failure that the run's error comes from; Infinity: the error comes from no step. */
function findFailure(error: ErrorRecord | null, failures: readonly EndedStep[]): number {
  if (error === null) return Infinity;
  const recorded = failures.find(({ stepKey }) => stepKey === error.failedStep);
  if (recorded !== undefined) return orderOf(recorded);
  // Earlier versions did not store the step; most of the time the error tells which one it is.
  const detail = toDetailText(error);
  const text = detail ?? "";
  const has = (member: string, value: string): boolean =>
    text.includes(`"${member}":${JSON.stringify(value)}`);
  const same = failures.filter(
    (step) =>
      step.error !== null &&
      ((step.error.name === error.name && step.error.message === error.message) ||
        has("message", step.error.message)),
  );
  const named = same.filter(({ stepKey }) => has("stepKey", stepKey));
  if (named.length > 0) return Math.min(...named.map(orderOf));
  // An error thrown inside a scope but outside a step is the scope's error. Details of our errors may be redacted, and the first
  // versions did not store them.
  const isBare = error.code !== null || detail === null;
  const unnamed = same.filter((step) => isScope(step) || isBare);
  return unnamed.length > 0 ? Math.max(...unnamed.map(orderOf)) : Infinity;
}

/** Adds what ended the branches of the undone scopes, down to the innermost ones. */
function withInner<TStep extends EndedStep>(
  base: readonly TStep[],
  undoable: readonly TStep[],
  places: Places,
): readonly TStep[] {
  const reopened = new Set(base);
  // Iterating over a set also visits items that are added meanwhile.
  for (const scope of reopened)
    if (isScope(scope))
      for (const step of undoable)
        if (places.isEndIn(scope, step) && !reopened.has(step)) reopened.add(step);
  return [...reopened];
}

/** Where steps are, among the scopes of a run. */
class Places {
  readonly #scopes: ReadonlyMap<string, EndedStep>;
  /** The order of the last failure in each branch. */
  readonly #last = new Map<string, number>();

  constructor(scopes: ReadonlyMap<string, EndedStep>, failures: readonly EndedStep[]) {
    this.#scopes = scopes;
    for (const step of failures) {
      const { branch } = this.#placeOf(step.stepKey);
      this.#last.set(branch, Math.max(this.#last.get(branch) ?? 0, orderOf(step)));
    }
  }

  /** Whether a branch of the scope ended with the step, or left the step behind. */
  isEndIn(scope: EndedStep, step: EndedStep): boolean {
    const { scopeKey, branch } = this.#placeOf(step.stepKey);
    if (scopeKey !== scope.stepKey) return false;
    return step.status === "cancelled" || this.#last.get(branch) === orderOf(step);
  }

  /** The innermost scope around a step, and the step's branch of it. The iterations of a loop are one branch. */
  #placeOf(stepKey: string): { readonly scopeKey: string; readonly branch: string } {
    const scopeKey = outerKeys(stepKey).findLast((key) => this.#scopes.has(key)) ?? "";
    const isLoop = this.#scopes.get(scopeKey)?.type === "loop";
    const end = stepKey.indexOf("/", scopeKey.length + 1);
    return { scopeKey, branch: isLoop || end < 0 ? scopeKey : stepKey.slice(0, end) };
  }
}

/** The keys of the places around a step, outermost first. */
function outerKeys(stepKey: string): readonly string[] {
  const parts = stepKey.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Whether the step may be the undo that failed the run. */
const isUndo = (run: ErrorRecord | null, { stepKey }: Pick<EndedStep, "stepKey">): boolean =>
  run?.code === "ROLLBACK_FAILED" && stepKey.endsWith(`/${UNDO_NAME}`);

/** By the status of an open step of the type. */
const OPEN: Readonly<Record<StepType, StepStatus>> = {
  do: "waiting",
  sleep: "waiting",
  waitForEvent: "waiting",
  receive: "waiting",
  reply: "pending",
  join: "pending",
  race: "pending",
  map: "pending",
  loop: "running",
  version: "pending",
  invoke: "pending",
  // It is recorded again: see `decideWaitForTopic`.
  waitForTopic: "pending",
  emit: "pending",
  progress: "pending",
};

/** The run ended before the step did. */
export const isClosedStep = ({ error }: Pick<EndedStep, "error">): boolean =>
  error?.code === "STEP_NOT_AWAITED";

/** The step got the deadline as its error, because the run's deadline had passed. */
const isOfDeadline = (run: ErrorRecord | null, { error }: Pick<EndedStep, "error">): boolean =>
  run?.code === "DEADLINE_EXCEEDED" && error?.code === "CANCELLED";

const orderOf = ({ settledOrder }: Pick<EndedStep, "settledOrder">): number => settledOrder ?? 0;

/** Of an invoke whose next child has the number in its row: the last one completed, or has not started. */
const KEEPS_CHILD: ReadonlySet<StepStatus> = new Set(["completed", "pending"]);

/** An ended step after it is reopened. The error of a body's last attempt is still shown. */
export interface ReopenedStep extends Pick<
  StepRecord,
  "status" | "attempts" | "lostAttempts" | "nextRetryAt" | "wakeAt" | "error" | "settledOrder"
> {
  /** A loop keeps its position; other steps keep nothing. */
  readonly keepsResult: boolean;
}

/**
 * The state from which a replay runs a step again: an attempt that is due, a sleep with its original end, a loop at its position.
 * A wait has the time that was left when it was closed; one that timed out has its whole time again.
 */
export function reopenStep(
  step: EndedStep & Pick<StepRecord, "attempts" | "wakeAt" | "createdAt" | "updatedAt">,
  now: EpochMs,
): ReopenedStep {
  const { type, wakeAt, createdAt, updatedAt } = step;
  const hasFailed = step.status === "errored" && !isClosedStep(step);
  const isWait = isEventWait(type) && wakeAt !== null;
  return {
    status: OPEN[type],
    // The number of the child that the step starts. It is that of a child that completed, whose end is taken again.
    attempts: type === "invoke" ? step.attempts + Number(!KEEPS_CHILD.has(step.status)) : 0,
    lostAttempts: 0,
    nextRetryAt: type === "do" ? now : null,
    wakeAt: isWait ? now + wakeAt - (hasFailed ? createdAt : updatedAt) : wakeAt,
    error: type === "do" && hasFailed ? step.error : null,
    settledOrder: null,
    keepsResult: type === "loop",
  };
}
