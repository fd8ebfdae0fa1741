/** Ends a session: commits how it leaves its run, and tells everybody who waits for it. */
import { toLogFields } from "../core/errors.ts";
import type { EndOutcome, RunOutcome, RunRetried } from "../core/model/change.ts";
import type { BoundaryResult, Committed, FailedBoundary } from "./boundary-result.ts";
import { closeOpen } from "./close-open.ts";
import type { CommitBoundary } from "./commit-boundary.ts";
import { type Diverged, findDiverged } from "./diverged-steps.ts";
import { otherOutcomes } from "./late-code.ts";
import { loadOrNull } from "./missing-code.ts";
import type { Session } from "./session-interface.ts";
import { type Ending, type SessionEnd, toSessionEnd } from "./session-end.ts";
import type { SessionTimers } from "./session-timers.ts";

/** A run's final outcome, or that it begins again. */
type LastOutcome = EndOutcome | RunRetried;

export class RunEnd {
  readonly #session: Session;
  readonly #boundary: CommitBoundary;
  readonly #timers: SessionTimers;
  #ending: Ending | null = null;
  #isOver = false;

  constructor(session: Session, boundary: CommitBoundary, timers: SessionTimers) {
    this.#session = session;
    this.#boundary = boundary;
    this.#timers = timers;
  }

  /** This process does nothing more for the run. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the run is to end with; null: it goes on. */
  get ending(): Ending | null {
    return this.#ending;
  }

  /** The first one counts. */
  endWith(ending: Ending): void {
    this.#ending ??= ending;
  }

  /** Leaves the run as it is, for a later claim. */
  async leave(outcome: Extract<RunOutcome, { kind: "park" | "pause" | "release" }>): Promise<void> {
    this.#boundary.isHeld = true;
    const diverged = outcome.kind === "park" ? await findDiverged(this.#session) : [];
    await this.withdrawStarts();
    const result = await this.#commitLast(outcome, diverged);
    if (result !== null) this.#over(toSessionEnd(outcome, result));
  }

  /**
   * Withdraws recorded starts that must not begin after all. If the code for that is missing, their rows say `running`, and
   * the next claim counts them as lost.
   */
  async withdrawStarts(): Promise<void> {
    if (this.#session.starts.mayBeRecorded)
      (await loadOrNull(otherOutcomes))?.withdrawStarts(this.#session);
  }

  /** Ends the run. */
  async end(ending: Ending): Promise<void> {
    const session = this.#session;
    this.#boundary.isHeld = true;
    if (ending.kind === "complete") session.warnUncalled(session.order.uncalled);
    const diverged = session.isAuthorDone ? await findDiverged(session) : [];
    const left = await closeOpen(session, diverged, ending);
    if (left !== null) return this.leave(left);
    const outcome = await toOutcome(session, ending);
    const result = await this.#commitLast(outcome, diverged);
    if (result !== null) this.#overWith(outcome, result);
  }

  /** null: the session is over. */
  observe(
    result: BoundaryResult,
  ): Extract<BoundaryResult, { kind: "committed" | "refused" }> | null {
    if (this.#isOver) return null;
    if (result.kind === "committed" || result.kind === "refused") return result;
    if (result.kind === "failed") this.follow(this.#failRefused(result));
    else this.lose();
    return null;
  }

  /** Follows a piece of work to its end. An unexpected error in it ends this session and no other. */
  follow(work: Promise<void>): void {
    work.catch((error: unknown) => this.breakOff(error));
  }

  /** Leaves the run until its lease ends. The next claim continues it; after several such ends, the run fails. */
  breakOff(error: unknown): void {
    void logBroken(this.#session, error);
    if (!this.#isOver) this.lose();
  }

  /** The run belongs to another process, or soon will. */
  lose(): void {
    this.#session.bodies.drop("the lease was lost");
    this.#over({ kind: "lost" });
  }

  async #commitLast(outcome: RunOutcome, diverged: Diverged): Promise<Committed | null> {
    this.#boundary.isHeld = true;
    this.#session.milestones.leave();
    const result = this.observe(await this.#boundary.commit(outcome, { diverged }));
    // Only writes to other tables can be refused, and the last commit has none.
    return result?.kind === "committed" ? result : null;
  }

  /** The database will never accept this commit, so the run ends with an error that says why. */
  async #failRefused(failed: FailedBoundary): Promise<void> {
    const session = this.#session;
    const running = session.bodies.drop("a commit of the run was refused");
    const { refusedError, endRefused } = await otherOutcomes();
    const error = refusedError(session.claimed, failed.error);
    const outcome = await toOutcome(session, { kind: "fail", error, retry: null });
    const result = await endRefused(session, this.#boundary, { outcome, running, failed });
    if (result.kind === "committed") this.#overWith(outcome, result);
    else this.lose();
  }

  #overWith(outcome: LastOutcome, result: Committed): void {
    const { context, claimed } = this.#session;
    if ("error" in outcome)
      this.#session.code.with(otherOutcomes, ({ logRunEnded }) =>
        logRunEnded(context.logger, claimed, outcome, result.now),
      );
    this.#over(toSessionEnd(outcome, result));
  }

  #over(end: SessionEnd): void {
    this.#isOver = true;
    this.#timers.stopAll();
    this.#session.pending.others?.progress.end();
    this.#session.milestones.end(end);
  }
}

/** Uses code that is loaded by now. */
const toOutcome = async (session: Session, ending: Ending): Promise<LastOutcome> =>
  ending.kind === "complete" && session.known.endRequested === null
    ? ending
    : (await otherOutcomes()).toLastOutcome(session, ending);

/** Logs the whole error, if the code that reads it is loaded. */
async function logBroken({ context, claimed }: Session, error: unknown): Promise<void> {
  try {
    (await otherOutcomes()).logRunBroken(context.logger, claimed, error);
  } catch {
    context.logger.log("error", "run.broken", { ...claimed.run, ...toLogFields(error) });
  }
}
