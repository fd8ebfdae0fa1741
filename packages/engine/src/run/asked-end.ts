/** A run that was asked from outside to end: when author code is left or told, and how the run ends then. */
import {
  CancelledError,
  deadlineExceeded,
  RollbackError,
  type WorkflowError,
} from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import type { EndOutcome, RunRetried } from "../core/model/change.ts";
import type { ErrorRecord, HistoryStep } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { cancelOpenCalls, keepTold, toAskedOutcome } from "./heed-end-request.ts";
import type { KnownRun } from "./known-run.ts";
import { otherOutcomes } from "./late-outcomes.ts";
import type { RunRetry } from "./retry-run.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./session-end.ts";

/** The code of such runs, once one of this process was asked: others do without its bytes. */
let code: {
  readonly cancelOpenCalls: typeof cancelOpenCalls;
  readonly toAskedOutcome: typeof toAskedOutcome;
  readonly keepTold: typeof keepTold;
} | null = null;

/** How a run ends for good, or as one that begins again. */
export type LastOutcome = EndOutcome | RunRetried;

export class AskedEnd {
  readonly #session: Session;
  #leave: (error: unknown) => void = () => {};
  /** What the run has done is being undone, whoever asked for it. */
  isUndoing = false;
  /** Its code cannot be loaded, as after a deploy that took the file away: the run fails, and asks for it no more. */
  #isCodeMissing = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** What author code comes to; rejects when it is left for a rollback that was asked for: nobody waits for it then. */
  unlessLeft(running: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#leave = reject;
      Promise.resolve(running).then(resolve, reject);
    });
  }

  /** false: the code that a request takes is being loaded. */
  get isReady(): boolean {
    const session = this.#session;
    const isNeeded = session.known.endRequested !== null && !this.#isCodeMissing;
    if (!isNeeded || code !== null) return true;
    import("./heed-end-request.ts").then(
      (loaded) => {
        code = loaded;
        session.schedule();
      },
      (error: unknown) => {
        this.#isCodeMissing = true;
        session.fail(error);
      },
    );
    return false;
  }

  /** Leaves author code if the run is to end without it. @returns whether it is left */
  leave(): boolean {
    if (this.#session.known.endRequested !== "terminate") return this.leaveToUndo();
    this.#session.fail(toTerminatedError());
    return true;
  }

  /** Leaves author code if what it has done is to be undone, and nobody has begun to. @returns whether it is left */
  leaveToUndo(): boolean {
    if (this.#session.known.endRequested !== "rollback" || this.isUndoing) return false;
    this.isUndoing = true;
    this.#leave(toRollbackError());
    return true;
  }

  /** Tells author code that the instance is cancelled, or past its deadline. @returns whether it was told */
  tellCancelled(): boolean {
    const session = this.#session;
    const { endRequested } = session.known;
    const isTold = endRequested === "cancel" || endRequested === "deadline";
    return isTold && code?.cancelOpenCalls(session, endRequested) === true;
  }

  /** Of the rows that a loop is to remove, those that may go. */
  keepTold(stepKeys: readonly string[]): readonly string[] {
    const { known } = this.#session;
    return known.endRequested === null || code === null ? stepKeys : code.keepTold(known, stepKeys);
  }

  async toOutcome(ending: Ending): Promise<LastOutcome> {
    const session = this.#session;
    const { known } = session;
    const natural: EndOutcome =
      ending.kind === "complete"
        ? ending
        : { kind: "fail", error: (await otherOutcomes()).describeFailure(session, ending.error) };
    if (natural.kind === "fail" && "retry" in ending && ending.retry !== null)
      if (known.endRequested === null) return toRetried(natural.error, ending.retry);
    return known.endRequested === null || code === null
      ? natural
      : code.toAskedOutcome(known, ending, natural);
  }
}

/** The error is told of no run that could be retried or rewound: which step it is of, and that all is undone, goes with its run. */
const toRetried = (
  { failedStep: _failedStep, ...error }: ErrorRecord,
  retry: RunRetry,
): RunRetried => ({
  kind: "retryRun",
  error: error.code === "ROLLED_BACK" ? { ...error, code: null } : error,
  ...retry,
});

/** Whether a rollback that was asked for has closed a step: it tells author code nothing, nor does a replay of it. */
export const isUntold = (
  { status }: Pick<HistoryStep, "status">,
  { endRequested }: Pick<KnownRun, "endRequested">,
): boolean => status === "cancelled" && endRequested === "rollback";

/** Whether a run that is rolled back has left a step without an outcome: nothing settles in a replay of it but what it undoes. */
export const isLeft = (
  record: HistoryStep | null,
  { endRequested }: Pick<KnownRun, "endRequested">,
): boolean => endRequested === "rollback" && (record === null || !isSettled(record));

/** @param cause what author code ended with meanwhile */
export const toRollbackError = (cause?: unknown): RollbackError =>
  new RollbackError("the instance was to be terminated with a rollback", { cause });

const toTerminatedError = (): CancelledError =>
  new CancelledError("the instance was to end with its parent");

/** What a run ends with that is left by its parent, or was asked to end before it has done anything; null: its code has to be asked. */
export function endUnbegun({
  endRequested,
  isFirst,
  settled,
  open,
  lostLeases,
}: ClaimedRun): WorkflowError | null {
  if (endRequested === "terminate") return toTerminatedError();
  // Of bodies that began under a lease which died, a pause takes the count away; that there was a claim before stays known.
  const mayHaveBegun = !isFirst || settled.length + open.length + lostLeases > 0;
  if (endRequested === null || mayHaveBegun) return null;
  if (endRequested === "deadline") return deadlineExceeded();
  return endRequested === "cancel" ? new CancelledError() : toRollbackError();
}
