/**
 * One claimed run being advanced: replays history, runs bodies, and commits at each boundary, until it parks or ends.
 *
 * Author code and the session take turns. Author code gets one outcome, then runs as far as it can: to the end of the event
 * loop's turn, however deep its awaits are. Only then does the session look at its state and do the one thing that is due
 * (`SessionTurn`). Nothing is thrown to park author code: a wait is a promise that stays pending.
 */
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep, JsonText, SettledStep, Settlement } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { AskedEnd } from "./asked-end.ts";
import { Bodies } from "./bodies.ts";
import type { Budget } from "./budget.ts";
import { type Call, Calls, type Receiver } from "./call.ts";
import { CommitBoundary } from "./commit-boundary.ts";
import type { RunContext } from "./context.ts";
import { MissingCode } from "./missing-code.ts";
import type { Failures } from "./failures.ts";
import { KnownRun } from "./known-run.ts";
import type { SessionTransactions, Settling } from "./other-table-writes.ts";
import { otherOutcomes } from "./late-code.ts";
import { Milestones } from "./milestones.ts";
import { NeededCode } from "./needed-code.ts";
import { PendingChanges } from "./pending-changes.ts";
import { Pump } from "./pump.ts";
import { Refusals } from "./refusals.ts";
import { ReplayOrder } from "./replay-order.ts";
import { createReplayedResults } from "./replayed-results.ts";
import { RunEnd } from "./run-end.ts";
import type { RunRetry } from "./session-end.ts";
import type { Session } from "./session-interface.ts";
import { SessionTimers } from "./session-timers.ts";
import { SessionTurn } from "./session-turn.ts";
import { deliverOutcome } from "./deliver-outcome.ts";
import { SessionScopes } from "./session-scopes.ts";
import { Starts } from "./starts.ts";
import { StepLimit } from "./step-limit.ts";
import { Undos } from "./undos.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Followed } from "./telemetry.ts";

export class RunSession implements Session {
  readonly claimed: ClaimedRun;
  readonly context: RunContext;
  readonly followed: Followed | undefined;
  readonly known: KnownRun;
  readonly pending: PendingChanges;
  readonly order: ReplayOrder;
  readonly takeReplayed: ReturnType<typeof createReplayedResults>;
  readonly calls: Calls = new Calls();
  readonly undos: Undos = new Undos();
  readonly refusals: Refusals;
  readonly stepLimit: StepLimit;
  calledLast: readonly Call[] = [];
  readonly transactions: SessionTransactions | undefined;
  readonly milestones: Milestones = new Milestones();
  readonly scopes: SessionScopes = new SessionScopes(this);
  readonly bodies: Bodies = new Bodies();
  failures: Failures | null = null;
  readonly code: NeededCode = new NeededCode({
    authorActed: () => this.authorActed(),
    missing: (error) => this.fail(new MissingCode(error)),
    broke: (error) => this.#end.breakOff(error),
  });
  readonly starts: Starts;
  readonly budget: Budget;
  readonly asked: AskedEnd = new AskedEnd();
  stop: "pause" | "release" | null;
  isAuthorDone = false;
  readonly #end: RunEnd;
  readonly #pump: Pump;
  readonly #timers: SessionTimers;
  readonly onQuiet: (() => void)[] = [];
  readonly warnUncalled = (steps: readonly Pick<HistoryStep, "stepKey">[]): void => {
    if (steps.length === 0) return;
    const stepKeys = steps.map(({ stepKey }) => stepKey);
    this.warnDiverged("the code no longer calls these steps of the history", { stepKeys });
  };

  constructor(context: RunContext, claimed: ClaimedRun, options: SessionOptions) {
    this.context = context;
    this.claimed = claimed;
    this.followed = context.telemetry?.follow(claimed);
    this.budget = options.budget;
    this.known = new KnownRun(context.host, claimed, options);
    this.pending = new PendingChanges(this.known, this.undos);
    const { known, pending, followed } = this;
    this.takeReplayed = createReplayedResults(known.replayed);
    this.order = new ReplayOrder(known.replayed, known.history.nextOrder, known.clock);
    const parts = { context, claimed, followed, known, pending, budget: options.budget };
    const boundary = new CommitBoundary(parts, options.leaseEndsAtMs, () =>
      this.milestones.progress(),
    );
    this.starts = new Starts(parts, boundary, this.bodies);
    const fail = (error: unknown): void => this.fail(error);
    this.refusals = new Refusals(context.limits, fail);
    this.stepLimit = new StepLimit(context.limits, this.known.history.countedSteps, fail);
    this.stop = claimed.pauseRequested ? "pause" : null;
    this.#timers = new SessionTimers(context);
    this.#end = new RunEnd(this, boundary, this.#timers);
    const turn = new SessionTurn(this, { boundary, timers: this.#timers, end: this.#end });
    this.#pump = new Pump(context.host, {
      next: () => this.#next(),
      act: () => turn.act(),
      broke: (error) => this.#end.breakOff(error),
    });
    this.#timers.startHeartbeat(() => turn.beat());
    this.transactions = context.stepTransactions?.open(this);
  }

  get isOver(): boolean {
    return this.#end.isOver;
  }

  get isAuthorWaiting(): boolean {
    return this.#pump.isAuthorWaiting;
  }

  get isStopping(): boolean {
    return this.stop !== null || this.#end.ending !== null;
  }

  open(call: Call): void {
    this.calls.open(call);
    this.authorActed();
  }

  openSettled(receiver: Receiver, step: SettledStep): void {
    if (this.known.isUntold(step)) this.order.passOver(step.settledOrder);
    else this.order.add(step, () => deliverOutcome(this, receiver, step));
    this.authorActed();
  }

  refuse(reject: () => void): void {
    this.refusals.add(reject);
    this.authorActed();
  }

  settle(settling: Settling): void {
    const { call, step, event, batch = [], carry } = settling;
    this.calls.setBusy(call);
    if (this.transactions?.take(settling) === true) return this.schedule();
    for (const taken of event === undefined ? batch : [event])
      this.pending.others?.consume(taken, call.stepKey);
    carry?.(this.pending);
    const { settledOrder, updatedAt } = this.order.allocate((event ?? batch.at(-1))?.createdAt);
    const settled = { ...step, settledOrder, updatedAt };
    this.refusals.noteSettled(step, this.known.recordOf(step.stepKey));
    this.pending.addSettled(settled);
    this.tell(settling, settled);
  }

  tell({ call }: Pick<Settling, "call">, step: StepWrite & Settlement): void {
    this.order.add(step, () => {
      this.calls.remove(call.stepKey);
      deliverOutcome(this, call.receiver, step);
    });
    this.schedule();
  }

  retry(call: Call, step: StepWrite): void {
    this.pending.add(step);
    if (this.onQuiet.length === 0)
      this.calls.setWaiting(call, { wake: step.nextRetry ?? { inMs: 0 }, reason: "retry" });
    this.schedule();
  }

  bodyEnded(stepKey: string): void {
    this.bodies.remove(stepKey);
  }

  authorDone(): void {
    this.isAuthorDone = true;
    this.calledLast = this.calls.undecided;
  }

  tellQuiet(): boolean {
    const tell = this.onQuiet.shift();
    tell?.();
    return tell !== undefined;
  }

  complete(output: JsonText | null): void {
    this.#end.endWith({ kind: "complete", output });
    this.authorActed();
  }

  fail(error: unknown, retry: RunRetry | null = null): void {
    this.#end.endWith({ kind: "fail", error, retry });
    this.authorActed();
  }

  interrupt(): void {
    if (this.isOver || this.#end.ending !== null) return;
    const lost = this.bodies.drop("the process is stopping");
    if (lost.length > 0) this.code.with(otherOutcomes, ({ noteLost }) => noteLost(this, lost));
    this.stop ??= "release";
    this.schedule();
  }

  warn(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.context.logger.log("warn", event, { ...this.claimed.run, ...fields });
  }

  warnDiverged(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.warn("history.diverged", { ...fields, code: "HISTORY_DIVERGED", message });
  }

  warnAfterEnd(name: string): void {
    this.code.with(otherOutcomes, ({ warnAfterEnd }) => warnAfterEnd(this, name));
  }

  schedule(): void {
    this.#timers.stopAwaitOutsideStep();
    this.#pump.schedule();
  }

  committed(): void {
    this.#pump.schedule();
  }

  authorActed(): void {
    this.#timers.stopAwaitOutsideStep();
    this.#pump.authorActs();
  }

  /** The next outcome to tell author code; null: none, or the run is to be left in the middle of its replay. */
  #next(): (() => void) | null {
    const mustLeave = this.stop === "release" && this.order.isReplaying;
    if (this.isOver || this.#end.ending?.kind === "fail" || mustLeave) return null;
    // Nobody awaits what the author's function has left behind: told, it would call steps of a run that is over.
    if (this.isAuthorDone || !this.code.isReady) return null;
    if (this.scopes.isOpening) return this.scopes.next();
    return this.refusals.next() ?? this.order.next(this.warnUncalled);
  }
}
