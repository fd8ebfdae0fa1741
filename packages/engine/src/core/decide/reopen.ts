/**
 * What `retry` makes of the steps of a run that failed. What ended the run is undone: the failed steps that its error is
 * of, what failed or was cancelled since, the scopes that ended with them and, in those, what their other branches failed
 * with; and all that the run's end closed. Nothing else is touched: no completed step, nothing inside a scope that
 * completed, no failure that author code caught before and went on from. Of a run that failed by its deadline, the failed steps are
 * those that were told of it.
 *
 * `stores/sql/statements/reopen-steps.ts` says the same in SQL.
 */
import { toDetailText } from "../stored-error.ts";
import type { EpochMs, ErrorRecord, StepRecord } from "../model/records.ts";
import { isEventWait, isScope, type StepStatus, type StepType } from "../model/status.ts";

/** What is looked at of a step. */
export type EndedStep = Pick<StepRecord, "stepKey" | "type" | "status" | "error" | "settledOrder">;

/**
 * Finds the steps of a failed run that are to be open again.
 *
 * @param error that ended the run
 * @param steps all of the run's
 */
export function findReopened<TStep extends EndedStep>(
  error: ErrorRecord | null,
  steps: readonly TStep[],
): readonly TStep[] {
  const scopes = new Map(steps.filter(isScope).map((step) => [step.stepKey, step]));
  const undoable = steps.filter(
    (step) =>
      (step.status === "errored" || step.status === "cancelled") &&
      !outerKeys(step.stepKey).some((key) => scopes.get(key)?.status === "completed"),
  );
  const failures = undoable.filter((step) => step.status === "errored" && !isClosedStep(step));
  const told = failures.filter((step) => isOfDeadline(error, step));
  const from = told.length > 0 ? Math.min(...told.map(orderOf)) : findFailure(error, failures);
  const base = undoable.filter((step) => isClosedStep(step) || orderOf(step) >= from);
  return withInner(base, undoable, new Places(scopes, failures));
}

/** The order of the first failure that the run's error is of; Infinity: it is of no step's. */
function findFailure(error: ErrorRecord | null, failures: readonly EndedStep[]): number {
  if (error === null) return Infinity;
  const recorded = failures.find(({ stepKey }) => stepKey === error.failedStep);
  if (recorded !== undefined) return orderOf(recorded);
  // Earlier versions have written down no step: what the error says tells it, mostly.
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
  // What was thrown inside a scope, by no step, is the error of the scope; details of ours may have been redacted, and the
  // first versions kept none.
  const isBare = error.code !== null || detail === null;
  const unnamed = same.filter((step) => isScope(step) || isBare);
  return unnamed.length > 0 ? Math.max(...unnamed.map(orderOf)) : Infinity;
}

/** Goes down the scopes that are undone, to what their branches ended with. */
function withInner<TStep extends EndedStep>(
  base: readonly TStep[],
  undoable: readonly TStep[],
  places: Places,
): readonly TStep[] {
  const reopened = new Set(base);
  // A set that grows while it is walked is walked to its end.
  for (const scope of reopened)
    if (isScope(scope))
      for (const step of undoable)
        if (places.isEndIn(scope, step) && !reopened.has(step)) reopened.add(step);
  return [...reopened];
}

/** Where steps stand among the scopes of a run. */
class Places {
  readonly #scopes: ReadonlyMap<string, EndedStep>;
  /** Order of the last failure, by branch. */
  readonly #last = new Map<string, number>();

  constructor(scopes: ReadonlyMap<string, EndedStep>, failures: readonly EndedStep[]) {
    this.#scopes = scopes;
    for (const step of failures) {
      const { branch } = this.#placeOf(step.stepKey);
      this.#last.set(branch, Math.max(this.#last.get(branch) ?? 0, orderOf(step)));
    }
  }

  /** Whether a branch of the scope ended with the step, or left it behind. */
  isEndIn(scope: EndedStep, step: EndedStep): boolean {
    const { scopeKey, branch } = this.#placeOf(step.stepKey);
    if (scopeKey !== scope.stepKey) return false;
    return step.status === "cancelled" || this.#last.get(branch) === orderOf(step);
  }

  /** The innermost scope that a step stands in, and its branch of it; iterations of a loop are one branch. */
  #placeOf(stepKey: string): { readonly scopeKey: string; readonly branch: string } {
    const scopeKey = outerKeys(stepKey).findLast((key) => this.#scopes.has(key)) ?? "";
    const isLoop = this.#scopes.get(scopeKey)?.type === "loop";
    const end = stepKey.indexOf("/", scopeKey.length + 1);
    return { scopeKey, branch: isLoop || end < 0 ? scopeKey : stepKey.slice(0, end) };
  }
}

/** Keys of the places that a step stands in, outermost first. */
function outerKeys(stepKey: string): readonly string[] {
  const parts = stepKey.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

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
  // Recorded anew: `decideWaitForTopic`.
  waitForTopic: "pending",
  emit: "pending",
  progress: "pending",
};

/** The run ended before the step did. */
export const isClosedStep = ({ error }: Pick<EndedStep, "error">): boolean =>
  error?.code === "STEP_NOT_AWAITED";

/** The step was told that the run is to end, since its deadline had passed. */
const isOfDeadline = (run: ErrorRecord | null, { error }: Pick<EndedStep, "error">): boolean =>
  run?.code === "DEADLINE_EXCEEDED" && error?.code === "CANCELLED";

const orderOf = ({ settledOrder }: Pick<EndedStep, "settledOrder">): number => settledOrder ?? 0;

/** What an ended step is from now on. Of a body's last attempt the error is still shown. */
export interface ReopenedStep extends Pick<
  StepRecord,
  "status" | "attempts" | "lostAttempts" | "nextRetryAt" | "wakeAt" | "error" | "settledOrder"
> {
  /** Of a loop its position; of any other step nothing. */
  readonly keepsResult: boolean;
}

/**
 * The state in which a replay runs a step anew: an attempt that is due, a sleep that ends when it would have, a loop at its
 * position. A wait has the time that was left when it was closed; one that timed out has its whole time again.
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
    // Which child it is that the step starts.
    attempts: type === "invoke" ? step.attempts + 1 : 0,
    lostAttempts: 0,
    nextRetryAt: type === "do" ? now : null,
    wakeAt: isWait ? now + wakeAt - (hasFailed ? createdAt : updatedAt) : wakeAt,
    error: type === "do" && hasFailed ? step.error : null,
    settledOrder: null,
    keepsResult: type === "loop",
  };
}
