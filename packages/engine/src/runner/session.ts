/**
 * One claimed run being advanced: replays history, runs bodies, and commits at each boundary, until it parks or ends.
 *
 * `#pump` drives it: it looks at the state after author code has run as far as it can, and does the one thing that is
 * due. Nothing is thrown to suspend the author: a wait is a promise that stays open.
 */
import { decideAttemptInterrupted, decideStartTakenBack } from "../core/decide/attempt.ts";
import { decidePark } from "../core/decide/park.ts";
import { toErrorRecord } from "../core/codec.ts";
import { WorkflowError } from "../core/errors.ts";
import type { RunOutcome, StepWrite } from "../core/model/change.ts";
import type { EpochMs, HistoryStep, JsonText } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/store.ts";
import { type Bodies, dropBodies, takeUnwritten } from "./bodies.ts";
import type { Budget } from "./budget.ts";
import type { Call, PendingStart, SessionWait } from "./call.ts";
import type { RunnerContext } from "./context.ts";
import { type Committed, type Extent, Ledger, type RefusedBoundary } from "./ledger.ts";
import { ReplayOrder } from "./replay-order.ts";
import { SessionTimers } from "./session-timers.ts";
import { settleCall } from "./settle-call.ts";
import type { SessionTransactions, Settling } from "./step-transactions.ts";
import { Takeover } from "./takeover.ts";

/** How a session ended. `lost`: another runner has, or will have, the run; nothing more was written. */
export type SessionEnd =
  | {
      readonly kind: "parked" | "released";
      readonly dueAt: EpochMs | null;
      /** From the commit on; ≤ 0: due already. */
      readonly dueInMs: number | null;
    }
  | { readonly kind: "paused" | "complete" | "errored" | "lost" };

type Ending =
  | { readonly kind: "complete"; readonly output: JsonText | null }
  | { readonly kind: "fail"; readonly error: unknown };

/** Microtask turns after which author code that was just resumed has made its next calls. */
const SETTLING_TURNS = 4;

export class Session {
  readonly claimed: ClaimedRun;
  readonly context: RunnerContext;
  readonly ledger: Ledger;
  readonly order: ReplayOrder;
  readonly takeover: Takeover;
  readonly calls: Map<string, Call> = new Map();
  readonly waits: Map<string, SessionWait> = new Map();
  readonly bodies: Bodies = new Map();
  /** undefined: steps have no foreign writes. */
  readonly transactions: SessionTransactions | undefined;
  readonly ended: Promise<SessionEnd>;
  /** No author code runs any more: what is left is the last commit. */
  readonly leaving: Promise<void>;
  isOver = false;

  readonly #budget: Budget;
  readonly #timers: SessionTimers;
  readonly #starts: PendingStart[] = [];
  #stop: "pause" | "release" | null;
  #ending: Ending | null = null;
  #isAuthorDone = false;
  /** A boundary's commit is under way, or its answer not yet acted upon. */
  #isAtBoundary = false;
  #isPumpScheduled = false;
  /** Rises with whatever author code or a body does. */
  #activity = 0;
  #finish!: (end: SessionEnd) => void;
  #leaves!: () => void;

  constructor(
    context: RunnerContext,
    claimed: ClaimedRun,
    options: { readonly now: EpochMs; readonly budget: Budget },
  ) {
    this.context = context;
    this.claimed = claimed;
    this.ledger = new Ledger(context, claimed, options.now);
    this.order = new ReplayOrder(this.ledger.history.settled, this.ledger.history.nextOrder);
    this.takeover = new Takeover(claimed.lostClaims);
    this.#budget = options.budget;
    this.#stop = claimed.pauseRequested ? "pause" : null;
    this.transactions = context.stepTransactions?.open(this);
    this.#timers = new SessionTimers(context);
    this.#timers.startHeartbeat(() => this.#beat());
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.leaving = new Promise((resolve) => {
      this.#leaves = resolve;
    });
  }

  /** The run is to be left as it is: nothing new may start. */
  get isStopping(): boolean {
    return this.#stop !== null || this.#ending !== null;
  }

  /** Records the outcome of a step and tells its call; one with foreign writes is first committed with them. */
  settle(settling: Settling): void {
    const { call, step, event } = settling;
    this.waits.delete(call.stepKey);
    this.schedule();
    if (this.transactions?.take(settling)) return;
    if (event !== undefined) this.ledger.consume(event, call.stepKey);
    const settledOrder = this.order.allocate();
    const settled = { ...step, settledOrder };
    this.ledger.settle(settled);
    this.tell(call, settled, settledOrder);
  }

  /** Gives a call what its step came to, when its turn in the replay order comes. */
  tell(call: Call, step: HistoryStep | StepWrite, settledOrder: number): void {
    this.order.settleInTurn(settledOrder, () => settleCall(this, call, step));
  }

  /** Claims before this one that may have started a body that is decided now. */
  get lostClaims(): number {
    return this.#isCovered ? this.ledger.impliedAttempts - 1 : 0;
  }

  /** Whether the claim stands for a body that is decided now. */
  get #isCovered(): boolean {
    if (this.takeover.isOver) return this.ledger.coversStart;
    return this.takeover.isInHistory || this.ledger.isUnambiguous;
  }

  /** Starts a body now if the claim covers it, else with the next commit; not at all when the budget is spent. */
  start(start: PendingStart): void {
    this.schedule();
    const isCovered = this.#isCovered;
    if (!this.isStopping && !this.#budget.tryStartStep(start.started.timeoutMs ?? 0))
      this.#stop = "release";
    if (isCovered) this.takeover.begin(() => this.#startCovered(start));
    else if (!this.isStopping) this.#starts.push(start);
  }

  #startCovered(start: PendingStart): void {
    if (!this.isStopping) this.#begin(start, { hasRow: false });
    // The attempts that died with their runners must not be forgotten when this one leaves.
    else if (this.ledger.impliedAttempts > 1)
      this.ledger.write(decideStartTakenBack(start.started));
  }

  bodyEnded(stepKey: string): void {
    this.bodies.delete(stepKey);
    this.schedule();
  }

  /** The author's function has returned or thrown; its output may still be checked. */
  authorDone(): void {
    this.#isAuthorDone = true;
  }

  complete(output: JsonText | null): void {
    this.#ending ??= { kind: "complete", output };
    this.schedule();
  }

  /** Fails the run, whatever author code would still catch. */
  fail(error: unknown): void {
    this.#ending ??= { kind: "fail", error };
    this.schedule();
  }

  /** Stops at once: bodies in flight are told to abort, their attempts count as lost, and the run is handed over. */
  interrupt(): void {
    if (this.isOver || this.#ending !== null) return;
    for (const started of dropBodies(this.bodies, "the runner is stopping")) {
      this.ledger.write(decideAttemptInterrupted(started));
    }
    this.#stop ??= "release";
    this.schedule();
  }

  /** Author code or a body has done something: looks at the state once it has run as far as it can in this turn. */
  schedule(): void {
    this.#timers.stopForeignAwait();
    this.#wakePump();
  }

  #wakePump(): void {
    this.#activity += 1;
    if (this.#isPumpScheduled || this.isOver) return;
    this.#isPumpScheduled = true;
    void this.#pumpSoon();
  }

  async #pumpSoon(): Promise<void> {
    // As long as author code goes on by itself, as it does through all of a replay, there is nothing to look at.
    let seen: number;
    do {
      seen = this.#activity;
      for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await Promise.resolve();
    } while (seen !== this.#activity);
    this.#isPumpScheduled = false;
    await this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.isOver || this.#isBusy) return;
    if (this.transactions?.isWaiting) return this.#boundary();
    if (this.#ending !== null) return this.#end(this.#ending);
    if (this.#isAuthorDone) return;
    if (!this.takeover.isOver) return this.#replayOn();
    if (this.#starts.length > 0 && this.#stop === null) return this.#boundary();
    if (this.bodies.size > 0) return this.#whileBodiesRun();
    if (this.#stop !== null) return this.#leave({ kind: this.#stop });
    const activity = this.#activity;
    await this.context.host.turn();
    if (activity === this.#activity && !this.isOver && !this.#isBusy) this.#rest();
  }

  /** Goes on with a takeover once author code waits. */
  async #replayOn(): Promise<void> {
    const activity = this.#activity;
    await this.context.host.turn();
    if (activity !== this.#activity || this.isOver) return;
    if (this.order.isStalled) this.#warnDiverged(this.order.skip());
    else this.takeover.advance();
    this.schedule();
  }

  /** Waits that are new are written at once, and time may end one while a body runs. */
  async #whileBodiesRun(): Promise<void> {
    if (this.ledger.hasNewWait) return this.#boundary();
    const instants = [...this.waits.keys()].map((stepKey) => this.#wakeAtOf(stepKey));
    const delayMs = this.ledger.estimateMsUntil(Math.min(...instants));
    this.#timers.startWait(delayMs, () => this.#boundary());
  }

  #wakeAtOf(stepKey: string): EpochMs {
    const record = this.ledger.openRecordOf(stepKey);
    return record?.nextRetryAt ?? record?.wakeAt ?? Infinity;
  }

  /** Author code waits, and no body is in flight. */
  #rest(): void {
    if (this.order.isStalled) {
      this.#warnDiverged(this.order.skip());
      this.schedule();
    } else if (this.waits.size > 0) {
      void this.#leave(decidePark([...this.waits.values()]));
    } else {
      this.#awaitForeign();
    }
  }

  get #isBusy(): boolean {
    return this.ledger.isCommitting || this.#isAtBoundary;
  }

  /** Commits what is noted. Either steps with foreign writes are settled by it, or bodies that waited for it start. */
  async #boundary(): Promise<void> {
    if (this.isOver || this.#isBusy) return;
    this.#isAtBoundary = true;
    const foreign = this.transactions?.board() ?? [];
    const starts = foreign.length > 0 ? [] : this.#starts.splice(0);
    const hasRow = this.#needRows(starts.length + foreign.length);
    if (hasRow) this.#writeAttempts(starts);
    const impliedAttempts = hasRow ? 0 : 1;
    const result = await this.#commit({ kind: "continue" }, { impliedAttempts, foreign });
    if (result === null) return;
    this.transactions?.land(result);
    if (result.pauseRequested) this.#stop ??= "pause";
    for (const start of starts) {
      if (!this.isStopping) this.#begin(start, { hasRow });
      else if (hasRow) this.ledger.write(decideStartTakenBack(start.started));
    }
    if (!this.isStopping) for (const wait of this.waits.values()) wait.redecide();
    this.#isAtBoundary = false;
    this.#wakePump();
  }

  /**
   * Whether attempts need rows, or the lease can stand for them: for those that start with this commit, and for those
   * that author code starts when it is told of the steps with foreign writes. It can when everything before these bodies
   * is in the commit and nothing else is open: whoever takes the run over then replays to these bodies and no others.
   */
  #needRows(newCount: number): boolean {
    const openCount = this.bodies.size + this.waits.size + this.#starts.length;
    return newCount === 0 || openCount > 0;
  }

  /** Writes the attempts about to start, and those in flight that have no row yet. */
  #writeAttempts(starts: readonly PendingStart[]): void {
    for (const started of takeUnwritten(this.bodies)) this.ledger.write(started);
    for (const { started } of starts) this.ledger.write(started);
  }

  /** Renews the lease, and carries what is finished. */
  #beat(): void {
    if (this.takeover.isOver && this.ledger.isRenewalDue) void this.#boundary();
  }

  async #leave(
    outcome: Extract<RunOutcome, { kind: "park" | "pause" | "release" }>,
  ): Promise<void> {
    const result = await this.#commitLast(outcome);
    if (result === null) return;
    const { dueAt, now } = result;
    const kind = outcome.kind === "park" ? "parked" : "released";
    const dueInMs = dueAt === null ? null : dueAt - now;
    this.#over(result.paused ? { kind: "paused" } : { kind, dueAt, dueInMs });
  }

  async #end(ending: Ending): Promise<void> {
    this.#recordNotAwaited();
    const isComplete = ending.kind === "complete";
    if (isComplete) this.#warnDiverged(this.order.uncalled);
    const outcome = isComplete
      ? ending
      : { kind: "fail" as const, error: toErrorRecord(ending.error) };
    const result = await this.#commitLast(outcome);
    if (result !== null) this.#over({ kind: isComplete ? "complete" : "errored" });
  }

  #commitLast(outcome: RunOutcome): Promise<Committed | null> {
    this.#leaves();
    // Only foreign writes are refused.
    return this.#commit(outcome) as Promise<Committed | null>;
  }

  /** null: the session is over. */
  async #commit(outcome: RunOutcome, extent?: Extent): Promise<Committed | RefusedBoundary | null> {
    const result = await this.ledger.commit(outcome, extent);
    if (this.isOver) return null;
    if (result !== null) return result;
    dropBodies(this.bodies, "the lease was lost");
    this.#over({ kind: "lost" });
    return null;
  }

  /** Logs a warning about the run. */
  warn(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.context.logger.log("warn", event, { ...this.claimed.run, ...fields });
  }

  #awaitForeign(): void {
    if (this.#timers.isAwaitingForeign) return;
    const code = "FOREIGN_AWAIT";
    const message = "the workflow awaits something that is not a step; put it into step.do";
    this.warn("workflow.foreign_await", { code, message });
    const error = new WorkflowError(code, message, { ...this.claimed.run });
    this.#timers.startForeignAwait(this.context.limits.maxForeignAwaitMs, () => this.fail(error));
  }

  #begin({ started, begin }: PendingStart, { hasRow }: { readonly hasRow: boolean }): void {
    this.bodies.set(started.stepKey, { body: begin(started), started, hasRow });
  }

  /** Bodies that a race left behind, or that nobody awaited. */
  #recordNotAwaited(): void {
    const message = "the run ended before this step did";
    for (const started of dropBodies(this.bodies, message)) {
      this.warn("step.not_awaited", { stepKey: started.stepKey, code: "STEP_NOT_AWAITED" });
      const error = { name: "StepNotAwaited", message };
      this.ledger.write({
        ...started,
        status: "errored",
        error,
        settledOrder: this.order.allocate(),
      });
    }
  }

  #warnDiverged(steps: readonly { readonly stepKey: string }[]): void {
    if (steps.length === 0) return;
    const stepKeys = steps.map((step) => step.stepKey);
    this.warn("history.diverged", { stepKeys, code: "HISTORY_DIVERGED" });
  }

  #over(end: SessionEnd): void {
    this.isOver = true;
    this.#leaves();
    this.#timers.stopAll();
    this.#finish(end);
  }
}
