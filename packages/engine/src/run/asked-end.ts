/** A run that was asked from outside to end: when author code is left or told, and how the run ends then. */
import { RollbackError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import { late } from "../core/late.ts";
import type { EndOutcome, RunRetried } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type {
  cancelOpenCalls,
  keepTold,
  toAskedOutcome,
  toTerminatedError,
} from "./heed-end-request.ts";
import type { KnownRun } from "./known-run.ts";
import { otherOutcomes } from "./late-outcomes.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./session-end.ts";

const heeding = late(() => import("./heed-end-request.ts"));

/** The code of such runs, once one of this process was asked: others do without its bytes. */
let code: {
  readonly cancelOpenCalls: typeof cancelOpenCalls;
  readonly toAskedOutcome: typeof toAskedOutcome;
  readonly keepTold: typeof keepTold;
  readonly toTerminatedError: typeof toTerminatedError;
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
    Promise.resolve(heeding()).then(
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
    this.#session.fail(code?.toTerminatedError());
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
    const natural =
      ending.kind === "complete" ? ending : (await otherOutcomes()).toFailOutcome(session, ending);
    return natural.kind === "retryRun" || known.endRequested === null || code === null
      ? natural
      : code.toAskedOutcome(known, ending, natural);
  }
}

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
