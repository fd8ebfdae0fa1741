/**
 * One claimed run being advanced: replays history, runs bodies, and commits at each boundary, until it parks or ends.
 *
 * Author code and the session take turns. Author code is told one outcome, then goes as far as it can: to the end of the
 * event loop's turn, whatever the depth of its awaits. Only then does the session look at its state and do the one thing
 * that is due (`#act`). Nothing is thrown to suspend the author: a wait is a promise that stays open.
 */
import { decideAttemptInterrupted } from "../core/decide/attempt.ts";
import { decidePark } from "../core/decide/park.ts";
import type { RunOutcome, StepWrite } from "../core/model/change.ts";
import type { HistoryStep, JsonText, SettledStep, Settlement } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { AskedEnd, isUntold, type LastOutcome } from "./asked-end.ts";
import { Bodies } from "./bodies.ts";
import type { RunningBody } from "./body.ts";
import type { Budget } from "./budget.ts";
import { type Call, type CallDecision, Calls, type Told } from "./call.ts";
import { closeOpen } from "./close-open.ts";
import {
  type BoundaryResult,
  CommitBoundary,
  type Committed,
  refusedError,
} from "./commit-boundary.ts";
import type { RunContext } from "./context.ts";
import { decideCalls, isThere } from "./decide-calls.ts";
import { type Diverged, nameDivergedSteps, warnUncalled } from "./diverged-steps.ts";
import { EventReads } from "./event-reads.ts";
import { Failures } from "./failures.ts";
import { logRunEnded } from "./log-errors.ts";
import { KnownRun } from "./known-run.ts";
import type { SessionTransactions, Settling, TransactionSession } from "./other-table-writes.ts";
import { Milestones } from "./milestones.ts";
import { PendingChanges } from "./pending-changes.ts";
import { Pump } from "./pump.ts";
import { Refusals } from "./refusals.ts";
import { ReplayOrder } from "./replay-order.ts";
import type { RunRetry } from "./retry-run.ts";
import { type Ending, type SessionEnd, toSessionEnd } from "./session-end.ts";
import { SessionTimers } from "./session-timers.ts";
import { tellOutcome } from "./tell-outcome.ts";
import { SessionScopes } from "./session-scopes.ts";
import { Starts } from "./starts.ts";
import { StepLimit } from "./step-limit.ts";
import { Undos } from "./undos.ts";
import type { SessionOptions } from "./session-options.ts";

export class Session implements TransactionSession {
  readonly claimed: ClaimedRun;
  readonly context: RunContext;
  readonly known: KnownRun;
  readonly pending: PendingChanges;
  readonly order: ReplayOrder;
  readonly calls: Calls = new Calls();
  readonly undos: Undos = new Undos();
  readonly refusals: Refusals;
  readonly stepLimit: StepLimit;
  calledLast: readonly Call[] = []; // undecided when author code was done
  readonly transactions: SessionTransactions | undefined; // without: no writes of other tables
  readonly milestones: Milestones = new Milestones();
  readonly scopes: SessionScopes = new SessionScopes(this);
  readonly bodies: Bodies = new Bodies();
  readonly failures: Failures = new Failures();
  readonly starts: Starts;
  readonly budget: Budget;
  readonly asked: AskedEnd = new AskedEnd(this);
  readonly #boundary: CommitBoundary;
  readonly #reads: EventReads;
  readonly #pump: Pump;
  readonly #timers: SessionTimers;
  #stop: "pause" | "release" | null;
  #ending: Ending | null = null;
  #isAuthorDone = false;
  #isOver = false;
  /** A boundary's commit is under way, or its answer not yet acted upon. */
  #isAtBoundary = false;
  readonly #onQuiet: (() => void)[] = [];
  readonly #warnUncalled = (steps: readonly HistoryStep[]): void => warnUncalled(this, steps);

  constructor(context: RunContext, claimed: ClaimedRun, options: SessionOptions) {
    this.context = context;
    this.claimed = claimed;
    this.budget = options.budget;
    this.known = new KnownRun(context.host, claimed, options);
    this.pending = new PendingChanges(this.known, this.undos);
    const { known, pending } = this;
    this.order = new ReplayOrder(known.replayed, known.history.nextOrder, known.clock);
    const parts = { context, claimed, known, pending, budget: options.budget };
    this.#boundary = new CommitBoundary(parts, options.leaseEndsAtMs, () =>
      this.milestones.progress(),
    );
    this.starts = new Starts(parts, this.#boundary, this.bodies);
    this.#reads = new EventReads(context, claimed.run, this.known.events);
    const fail = (error: unknown): void => this.fail(error);
    this.refusals = new Refusals(context.limits, fail);
    this.stepLimit = new StepLimit(context.limits, this.known.history.countedSteps, fail);
    this.#stop = claimed.pauseRequested ? "pause" : null;
    const acts = { next: () => this.#next(), act: () => this.#act() };
    this.#pump = new Pump(context.host, acts);
    this.#timers = new SessionTimers(context);
    this.#timers.startHeartbeat(() => this.#beat());
    this.transactions = context.stepTransactions?.open(this);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The run is to be left as it is: nothing new may start. */
  get isStopping(): boolean {
    return this.#stop !== null || this.#ending !== null;
  }

  /** Author code has called a step that is not settled. */
  open(call: Call): void {
    this.calls.open(call);
    this.authorActed();
  }

  /** Author code has called a step that history has the outcome of. */
  openSettled(told: Told, step: SettledStep): void {
    if (isUntold(step, this.known)) this.order.passOver(step.settledOrder);
    else this.order.add(step, () => tellOutcome(told, step, this.failures));
    this.authorActed();
  }

  /** Author code has called a step in a way that is refused; it is told in its turn, as of an outcome. */
  refuse(reject: () => void): void {
    this.refusals.add(reject);
    this.authorActed();
  }

  /** Records the outcome of a step and tells its call; one with writes of other tables is first committed with them. */
  settle(settling: Settling): void {
    const { call, step, event, batch = [], carried } = settling;
    this.calls.setBusy(call);
    if (this.transactions?.take(settling) === true) return this.schedule();
    if (event !== undefined) this.pending.consume(event, call.stepKey);
    for (const taken of batch) this.pending.consume(taken, call.stepKey);
    if (carried !== undefined) this.pending.carry(carried);
    const { settledOrder, updatedAt } = this.order.allocate((event ?? batch.at(-1))?.createdAt);
    const settled = { ...step, settledOrder, updatedAt };
    this.pending.addSettled(settled);
    this.refusals.noteProgress();
    this.tell(settling, settled);
  }

  /** Gives a call what its step came to, when its turn comes. */
  tell({ call }: Pick<Settling, "call">, step: StepWrite & Settlement): void {
    this.order.add(step, () => {
      this.calls.remove(call.stepKey);
      tellOutcome(call.told, step, this.failures);
    });
    this.schedule();
  }

  /** An attempt has ended and another is to come, but for a run that waits to be quiet: author code is told nothing. */
  retry(call: Call, step: StepWrite): void {
    this.pending.add(step);
    if (this.#onQuiet.length === 0)
      this.calls.setWaiting(call, { wake: step.nextRetry ?? { inMs: 0 }, reason: "retry" });
    this.schedule();
  }

  bodyEnded(stepKey: string): void {
    this.bodies.remove(stepKey);
  }

  holdFor(stepKey: string, begin: (onEnd: () => void) => RunningBody): void {
    const onEnd = (): void => {
      this.bodyEnded(stepKey);
      this.schedule();
    };
    this.bodies.addCallback(stepKey, begin(onEnd));
  }

  /** The author's function has returned or thrown; its output may still be checked. */
  authorDone(): void {
    this.#isAuthorDone = true;
    this.calledLast = this.calls.undecided;
  }

  /** What takes the place of author code that is done calls steps from now on. */
  goOn(): void {
    this.#isAuthorDone = false;
    this.authorActed();
  }

  /** Resolves once no body is under way. */
  whenQuiet(): Promise<void> {
    return new Promise((resolve) => void this.#onQuiet.push(resolve));
  }

  complete(output: JsonText | null): void {
    this.#ending ??= { kind: "complete", output };
    this.authorActed();
  }

  /** Fails the run, whatever author code would still catch. @param retry of the whole run; null: it is the end */
  fail(error: unknown, retry: RunRetry | null = null): void {
    this.#ending ??= { kind: "fail", error, retry };
    this.authorActed();
  }

  /** Stops at once: bodies in flight are told to abort, their attempts count as lost, and the run is released. */
  interrupt(): void {
    if (this.#isOver || this.#ending !== null) return;
    for (const started of this.bodies.drop("the process is stopping"))
      this.pending.add(decideAttemptInterrupted(started, this.known.clock.settle()));
    this.#stop ??= "release";
    this.schedule();
  }

  /** Logs a warning about the run. */
  warn(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.context.logger.log("warn", event, { ...this.claimed.run, ...fields });
  }

  /** Something is to be done: told to author code, or decided once it has gone as far as it can. */
  schedule(): void {
    this.#timers.stopAwaitOutsideStep();
    this.#pump.schedule();
  }

  /** Author code has called something, or has come to its end: it may still be on its way. */
  authorActed(): void {
    this.#timers.stopAwaitOutsideStep();
    this.#pump.authorActs();
  }

  /** What author code is told next; null: nothing, or the run is to be left in the middle of its replay. */
  #next(): (() => void) | null {
    const mustLeave = this.#stop === "release" && this.order.isReplaying;
    if (this.#isOver || this.#ending?.kind === "fail" || mustLeave) return null;
    if (this.scopes.isOpening) return this.scopes.next();
    return this.refusals.next() ?? this.order.next(this.#warnUncalled);
  }

  /** Author code waits: does the one thing that is due. */
  #act(): void {
    if (this.#isOver || this.#isAtBoundary || this.#reads.isReading || !this.asked.isReady) return;
    if (this.transactions?.isWaiting === true || this.pending.isDue)
      return void this.#commitBoundary();
    if (this.#ending !== null) return void this.#end(this.#ending);
    if (this.#isAuthorDone || (this.scopes.isOpening && this.#stop === null)) return;
    if (!this.isStopping && (this.asked.leave() || this.#decideCalls())) return;
    if (this.#reads.isReading) return;
    if (this.starts.isWaiting && this.#stop === null) return void this.#commitBoundary();
    if (this.bodies.count > 0) return this.#whileBodiesRun();
    if (this.#stop !== null) return void this.#leave({ kind: this.#stop });
    if (this.#onQuiet.length > 0) return this.#onQuiet.shift()?.();
    const { waits } = this.calls;
    if (waits.length > 0) void this.#leave(decidePark(waits));
    else this.#timers.awaitOutsideStep(this.claimed.run, this);
  }

  /** Decides what is to become of each call: outcomes first, as they came about. @returns whether author code was told any */
  #decideCalls(): boolean {
    const { settled, others } = decideCalls(this.calls, this.pending);
    for (const { call, decision } of settled)
      if (isThere(decision, this.known.events)) this.settle({ call, ...decision });
    if (settled.length > 0) return true;
    if (this.asked.tellCancelled()) return true;
    for (const { call, decision } of others) this.#apply(call, decision);
    return false;
  }

  #apply(call: Call, decision: Exclude<CallDecision, { kind: "settle" }>): void {
    if (decision.kind === "read") void this.#readEvents(decision.eventTypes);
    else if (decision.kind === "wait") {
      if (decision.step !== null) this.pending.add(decision.step, decision.child);
      this.calls.setWaiting(call, decision);
    } else if (this.#stop === null) {
      const { started, begin } = decision;
      if (!this.budget.tryStartStep(started.timeoutMs ?? 0)) this.#stop = "release";
      else {
        this.calls.setBusy(call);
        this.starts.add({ call, started, begin });
      }
    }
  }

  /** Waits that are new are written at once, progress soon, and time may end a wait while a body runs. */
  #whileBodiesRun(): void {
    if (this.pending.hasNewWait) return void this.#commitBoundary();
    if (this.pending.progress?.isEmpty === false) this.#timers.startFlush(() => this.#flush());
    if (this.isStopping) return;
    const instants = this.calls.waits.map(({ stepKey }) => this.known.wakeAtOf(stepKey));
    const delayMs = this.known.estimateMsUntil(Math.min(...instants));
    this.#timers.startWait(delayMs, () => this.#commitBoundary());
  }

  /** Commits what is pending. Either steps with writes of other tables are settled by it, or bodies start after it. */
  async #commitBoundary(): Promise<void> {
    if (this.#isOver || this.#isAtBoundary) return;
    this.#isAtBoundary = true;
    this.#timers.stopFlush();
    const { endRequested } = this.known;
    const otherTables = this.transactions?.begin() ?? [];
    // Writes of other tables may be refused, and everything in their commit with them.
    const startedKeys = otherTables.length > 0 ? [] : this.starts.record();
    const boundary = await this.#boundary.commit(
      { kind: "continue" },
      { startedKeys, otherTables },
    );
    const result = this.#heed(boundary);
    if (result === null) return;
    this.transactions?.finish(result);
    if (result.kind === "committed" && result.pauseRequested) this.#stop ??= "pause";
    const isAskedToEnd = this.known.endRequested !== endRequested;
    if (this.isStopping) this.starts.withdraw(this.calls);
    // The lease may have been lost while the answer was on its way, as in a process that was frozen: the next commit tells.
    else if (this.#boundary.isLeaseOver || isAskedToEnd) this.starts.requeue();
    else this.starts.beginRecorded();
    this.#isAtBoundary = false;
    this.#pump.schedule();
  }

  /** Renews the lease, and carries what is finished. */
  #beat(): void {
    if (this.#boundary.isRenewalDue) void this.#commitBoundary();
  }

  /** Lets others see what bodies under way have told. */
  #flush(): void {
    if (this.pending.progress?.isEmpty === false) void this.#commitBoundary();
  }

  async #leave(
    outcome: Extract<RunOutcome, { kind: "park" | "pause" | "release" }>,
  ): Promise<void> {
    const diverged = outcome.kind === "park" ? nameDivergedSteps(this) : [];
    this.starts.withdraw(this.calls);
    const result = await this.#commitLast(outcome, diverged);
    if (result !== null) this.#over(toSessionEnd(outcome, result));
  }

  async #end(ending: Ending): Promise<void> {
    this.#isAtBoundary = true;
    if (ending.kind === "complete") warnUncalled(this, this.order.uncalled);
    const diverged = this.#isAuthorDone ? nameDivergedSteps(this) : [];
    const left = await closeOpen(this, diverged, ending);
    if (left !== null) return this.#leave(left);
    const outcome = this.asked.toOutcome(ending);
    const result = await this.#commitLast(outcome, diverged);
    if (result !== null) this.#overWith(outcome, result);
  }

  async #commitLast(outcome: RunOutcome, diverged: Diverged): Promise<Committed | null> {
    this.#isAtBoundary = true;
    this.milestones.leave();
    const result = this.#heed(await this.#boundary.commit(outcome, { diverged }));
    // Only writes of other tables are refused, and the last commit carries none.
    return result?.kind === "committed" ? result : null;
  }

  /** null: the session is over. */
  #heed(result: BoundaryResult): Extract<BoundaryResult, { kind: "committed" | "refused" }> | null {
    if (this.#isOver) return null;
    if (result.kind === "committed" || result.kind === "refused") return result;
    if (result.kind === "failed") void this.#failRefused(result.error);
    else this.#lose();
    return null;
  }

  /** Reads events that a wait asks for and that did not come with the claim. Unread, they are left to the next claim. */
  async #readEvents(types: readonly string[]): Promise<void> {
    const isRead = await this.#reads.read(types);
    if (this.#isOver) return;
    if (isRead) this.schedule();
    else this.#lose();
  }

  #lose(): void {
    this.bodies.drop("the lease was lost");
    this.#over({ kind: "lost" });
  }

  /** The database takes this commit at no time: the run ends here, with an error that says why. */
  async #failRefused(cause: unknown): Promise<void> {
    this.bodies.drop("a commit of the run was refused");
    const error = refusedError(this.claimed, cause);
    const outcome = this.asked.toOutcome({ kind: "fail", error, retry: null });
    const result = await this.#boundary.commit(outcome);
    if (result.kind === "committed") this.#overWith(outcome, result);
    else this.#over({ kind: "lost" });
  }

  #overWith(outcome: LastOutcome, result: Committed): void {
    logRunEnded(this.context.logger, this.claimed, outcome, result.now);
    this.#over(toSessionEnd(outcome, result));
  }

  #over(end: SessionEnd): void {
    this.#isOver = true;
    this.#timers.stopAll();
    this.pending.progress?.end();
    this.milestones.end(end);
  }
}
