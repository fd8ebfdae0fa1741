/**
 * One claimed run being advanced: replays history, runs bodies, and commits at each boundary, until it parks or ends.
 *
 * The session is driven by `#pump`, which looks at the state after author code has run as far as it can and does the
 * one thing that is due. Nothing is thrown to suspend the author: a wait is a promise that stays open.
 */
import { decideAttemptInterrupted, decideStartTakenBack } from "../core/decide/attempt.ts";
import { decidePark, type OpenWait } from "../core/decide/park.ts";
import { WorkflowError } from "../core/errors.ts";
import { toErrorRecord } from "../core/codec.ts";
import { createHistory, type History } from "../core/history/history.ts";
import type { Change, RunOutcome, StepWrite } from "../core/model/change.ts";
import type { EpochMs, EventRecord, JsonText, StepRecord } from "../core/model/records.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import type { ClaimedRun, CommitResult } from "../ports/store.ts";
import type { Budget } from "./budget.ts";
import type { RunningBody } from "./body.ts";
import type { RunnerContext } from "./context.ts";
import { ReplayOrder } from "./replay-order.ts";

/** How a session ended. `lost`: another runner has, or will have, the run; nothing more was written. */
export type SessionEnd =
  | {
      readonly kind: "parked" | "released";
      readonly dueAt: EpochMs | null;
      readonly dueInMs: number | null;
    }
  | { readonly kind: "paused" | "complete" | "errored" | "lost" };

/** A call of a step that author code waits for. */
export interface Call {
  readonly stepKey: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A body that starts once its row is committed. */
export interface PendingStart {
  readonly started: StepWrite;
  readonly begin: (started: StepWrite) => RunningBody;
}

/** A wait that time or an event may end. */
export interface SessionWait extends OpenWait {
  /** Looks again, with newer database time or events. */
  readonly redecide: () => void;
}

type Ending =
  | { readonly kind: "complete"; readonly output: JsonText | null }
  | { readonly kind: "fail"; readonly error: unknown };

/** Microtask turns after which author code that was just resumed has made its next calls. */
const SETTLING_TURNS = 4;

type Committed = Extract<CommitResult, { kind: "committed" }>;

export class Session {
  readonly claimed: ClaimedRun;
  readonly context: RunnerContext;
  readonly budget: Budget;
  readonly history: History;
  readonly order: ReplayOrder;
  readonly records: Map<string, StepRecord>;
  readonly calls: Map<string, Call> = new Map();
  readonly waits: Map<string, SessionWait> = new Map();
  readonly bodies: Map<string, { readonly body: RunningBody; readonly started: StepWrite }> =
    new Map();
  /** Unconsumed events of the run, oldest first. */
  events: readonly EventRecord[];
  /** Database time as last heard. */
  now: EpochMs;
  countedSteps: number;

  #changes = new Map<string, StepWrite>();
  #consumed: Extract<Change, { kind: "eventConsumed" }>[] = [];
  #starts: PendingStart[] = [];
  #hasCommitted = false;
  #hasBodyResult = false;
  #hasSettledWait = false;
  #hasNewWait = false;
  #isCommitting = false;
  #isPumpScheduled = false;
  #isAuthorDone = false;
  #stop: "pause" | "release" | null;
  #ending: Ending | null = null;
  #activity = 0;
  #leaseRenewedAt: number;
  #knownEventSequence: number;
  #cancelHeartbeat: () => void = () => {};
  #cancelWaitTimer: () => void = () => {};
  #cancelForeignAwait: () => void = () => {};
  #finish!: (end: SessionEnd) => void;
  readonly ended: Promise<SessionEnd>;
  isOver = false;

  constructor(
    context: RunnerContext,
    claimed: ClaimedRun,
    options: { readonly now: EpochMs; readonly budget: Budget },
  ) {
    this.context = context;
    this.claimed = claimed;
    this.budget = options.budget;
    this.now = options.now;
    this.history = createHistory(claimed.steps);
    this.order = new ReplayOrder(this.history.settled, this.history.nextOrder);
    this.records = new Map(this.history.byKey);
    this.countedSteps = this.history.countedSteps;
    this.events = claimed.events;
    this.#knownEventSequence = claimed.events.at(-1)?.sequence ?? 0;
    this.#stop = claimed.pauseRequested ? "pause" : null;
    this.#leaseRenewedAt = context.host.now();
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#armHeartbeat();
  }

  // ---- what step-scope and run-workflow call ----

  /** Whether a body may start before its start is committed: the claim itself stands for the attempt. */
  get isCoveredByClaim(): boolean {
    // With one open wait at the claim, a later claim would find the same outcome; with more, the order could differ.
    const isUnambiguous = !this.#hasSettledWait || this.history.openWaitCount <= 1;
    return !this.#hasCommitted && !this.#isCommitting && !this.#hasBodyResult && isUnambiguous;
  }

  get isStopping(): boolean {
    return this.#stop !== null || this.#ending !== null;
  }

  write(step: StepWrite): void {
    this.#changes.set(step.stepKey, step);
    if (step.status === "waiting") this.#hasNewWait = true;
  }

  /** Records the outcome of a step and settles its call in replay order. */
  settle(call: Call, step: StepWrite, settle: (step: StepWrite) => void): void {
    const settled = { ...step, settledOrder: this.order.allocate() };
    this.waits.delete(call.stepKey);
    if (step.type !== "do") this.#hasSettledWait = true;
    this.write(settled);
    this.records.set(
      call.stepKey,
      toStepRecord(settled, this.records.get(call.stepKey)?.createdAt ?? null, this.now),
    );
    this.order.settleInTurn(settled.settledOrder, () => settle(settled));
    this.schedule();
  }

  consume(event: EventRecord, stepKey: string): void {
    this.events = this.events.filter((other) => other.id !== event.id);
    this.#consumed.push({ kind: "eventConsumed", eventId: event.id, stepKey });
  }

  /** Starts a body now if the claim covers it, else with the next commit. */
  start(start: PendingStart): void {
    if (this.isStopping || !this.budget.tryStartStep(start.started.timeoutMs ?? 0)) {
      if (!this.isStopping) this.#stop = "release";
    } else if (this.isCoveredByClaim) this.#begin(start);
    else this.#starts.push(start);
    this.schedule();
  }

  bodyEnded(stepKey: string): void {
    this.bodies.delete(stepKey);
    this.#hasBodyResult = true;
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

  /** Stops at once: bodies in flight are told to abort and their attempts count as lost; the run is handed over. */
  interrupt(): void {
    if (this.isOver || this.#ending !== null) return;
    for (const { body, started } of this.bodies.values()) {
      body.abandon("the runner is stopping");
      this.write(decideAttemptInterrupted(started));
    }
    this.bodies.clear();
    this.#stop ??= "release";
    this.schedule();
  }

  /** Looks at the state once author code has run as far as it can in this turn. */
  schedule(): void {
    this.#activity += 1;
    if (this.#isPumpScheduled || this.isOver) return;
    this.#isPumpScheduled = true;
    void this.#pumpSoon();
  }

  // ---- the pump ----

  async #pumpSoon(): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await null;
    this.#isPumpScheduled = false;
    await this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.isOver || this.#isCommitting) return;
    this.#cancelForeignAwait();
    if (this.#ending !== null) return this.#end(this.#ending);
    if (this.#isAuthorDone) return;
    if (this.#starts.length > 0 && this.#stop === null) return this.#boundary();
    if (this.bodies.size > 0) return this.#hasNewWait ? this.#boundary() : this.#armWaitTimer();
    if (this.#stop !== null) return this.#leave({ kind: this.#stop });
    const activity = this.#activity;
    await this.context.host.turn();
    if (activity === this.#activity && !this.isOver) this.#rest();
  }

  /** Author code waits, and no body is in flight. */
  #rest(): void {
    if (this.order.isStalled) {
      this.#logSkipped(this.order.skip());
      this.schedule();
    } else if (this.waits.size > 0) {
      void this.#leave(decidePark([...this.waits.values()]));
    } else {
      this.#awaitForeign();
    }
  }

  async #boundary(): Promise<void> {
    const starts = this.#starts;
    this.#starts = [];
    for (const { started } of starts) this.write(started);
    const result = await this.#commit({ kind: "continue" });
    if (result === null) return;
    if (result.pauseRequested) this.#stop ??= "pause";
    for (const start of starts) {
      if (this.isStopping) this.write(decideStartTakenBack(start.started));
      else this.#begin(start);
    }
    this.#hear(result);
    this.schedule();
  }

  /** Newer time and events may end waits. */
  #hear(result: Committed): void {
    const known = this.#knownEventSequence;
    const fresh = result.events.filter((event) => event.sequence > known);
    this.events = [...this.events, ...fresh];
    this.#knownEventSequence = fresh.at(-1)?.sequence ?? known;
    if (!this.isStopping) for (const wait of this.waits.values()) wait.redecide();
  }

  async #leave(
    outcome: Extract<RunOutcome, { kind: "park" | "pause" | "release" }>,
  ): Promise<void> {
    const result = await this.#commit(outcome);
    if (result === null) return;
    if (result.paused) this.#over({ kind: "paused" });
    else {
      const { dueAt, now } = result;
      const kind = outcome.kind === "park" ? "parked" : "released";
      this.#over({ kind, dueAt, dueInMs: dueAt === null ? null : dueAt - now });
    }
  }

  async #end(ending: Ending): Promise<void> {
    this.#abandonBodies("the run ended before this step did");
    if (ending.kind === "complete") this.#logSkipped(this.order.uncalled);
    const outcome: RunOutcome =
      ending.kind === "complete" ? ending : { kind: "fail", error: toErrorRecord(ending.error) };
    const result = await this.#commit(outcome);
    if (result !== null) this.#over({ kind: ending.kind === "complete" ? "complete" : "errored" });
  }

  // ---- commits and the lease ----

  /** null: the lease is lost and the session over. */
  async #commit(outcome: RunOutcome): Promise<Committed | null> {
    const { host, leaseMs } = this.context;
    const isRenewal =
      outcome.kind === "continue" && host.now() - this.#leaseRenewedAt > leaseMs / 3;
    const changes = [...this.#changes.values()];
    const consumed = this.#consumed;
    this.#forgetUncommitted();
    this.#isCommitting = true;
    const result = await this.context.commit({
      lease: this.claimed.lease,
      run: this.claimed.run,
      changes: [...changes.map((step): Change => ({ kind: "step", step })), ...consumed],
      outcome,
      isFirst: !this.#hasCommitted,
      renewLeaseMs: isRenewal ? leaseMs : null,
      knownEventSequence: this.#knownEventSequence,
    });
    this.#isCommitting = false;
    if (this.isOver) return null;
    if (result.kind === "failed")
      this.context.logger.log("error", "commit.refused", {
        ...this.claimed.run,
        error: String(result.error),
      });
    if (result.kind !== "committed") return this.#lose();
    this.#hasCommitted = true;
    this.now = Math.max(this.now, result.now);
    if (isRenewal) this.#leaseRenewedAt = host.now();
    this.#remember(changes, result.now);
    return result;
  }

  #forgetUncommitted(): void {
    this.#changes = new Map();
    this.#consumed = [];
    this.#hasBodyResult = false;
    this.#hasSettledWait = false;
    this.#hasNewWait = false;
  }

  /** Records take the instants that the commit gave them. */
  #remember(changes: readonly StepWrite[], now: EpochMs): void {
    for (const step of changes) {
      this.records.set(
        step.stepKey,
        toStepRecord(step, this.records.get(step.stepKey)?.createdAt ?? null, now),
      );
      const wait = this.waits.get(step.stepKey);
      const at =
        step.nextRetry === null
          ? this.records.get(step.stepKey)?.wakeAt
          : this.records.get(step.stepKey)?.nextRetryAt;
      if (wait !== undefined && at !== null && at !== undefined)
        this.waits.set(step.stepKey, { ...wait, wake: { at } });
    }
  }

  #armHeartbeat(): void {
    const everyMs = this.context.leaseMs / 3;
    this.#cancelHeartbeat = this.context.host.setTimer(everyMs, () => {
      this.#armHeartbeat();
      if (!this.#isCommitting && this.context.host.now() - this.#leaseRenewedAt >= everyMs)
        void this.#beat();
    });
  }

  /** Renews the lease and carries what is finished. */
  async #beat(): Promise<void> {
    this.#leaseRenewedAt = -Infinity;
    await this.#boundary();
  }

  /** With a body in flight, time may still end a wait: ask the database when it should have. */
  #armWaitTimer(): void {
    this.#cancelWaitTimer();
    const instants = [...this.waits.values()].map(({ wake }) =>
      "at" in wake ? wake.at : Infinity,
    );
    const earliest = Math.min(...instants);
    if (earliest === Infinity) return;
    this.#cancelWaitTimer = this.context.host.setTimer(Math.max(1, earliest - this.now), () => {
      if (!this.isOver && !this.#isCommitting) void this.#boundary();
    });
  }

  #awaitForeign(): void {
    const { host, limits, logger } = this.context;
    const message = "the workflow awaits something that is not a step; put it into step.do";
    const fields = { ...this.claimed.run, code: "FOREIGN_AWAIT" };
    logger.log("warn", "workflow.foreign_await", { ...fields, message });
    this.#cancelForeignAwait = host.setTimer(limits.maxForeignAwaitMs, () =>
      this.fail(new WorkflowError("FOREIGN_AWAIT", message, fields)),
    );
  }

  #begin({ started, begin }: PendingStart): void {
    this.bodies.set(started.stepKey, { body: begin(started), started });
  }

  #abandonBodies(reason: string): void {
    for (const [stepKey, { body, started }] of this.bodies) {
      body.abandon(reason);
      this.context.logger.log("warn", "step.not_awaited", {
        ...this.claimed.run,
        stepKey,
        code: "STEP_NOT_AWAITED",
      });
      const error = { name: "StepNotAwaited", message: reason };
      this.write({ ...started, status: "errored", error, settledOrder: this.order.allocate() });
    }
    this.bodies.clear();
  }

  #logSkipped(steps: readonly StepRecord[]): void {
    if (steps.length === 0) return;
    const stepKeys = steps.map((step) => step.stepKey);
    const fields = { ...this.claimed.run, stepKeys, code: "HISTORY_DIVERGED" };
    this.context.logger.log("warn", "history.diverged", fields);
  }

  #lose(): null {
    for (const { body } of this.bodies.values()) body.abandon("the lease was lost");
    this.bodies.clear();
    this.#over({ kind: "lost" });
    return null;
  }

  #over(end: SessionEnd): void {
    this.isOver = true;
    this.#cancelHeartbeat();
    this.#cancelWaitTimer();
    this.#cancelForeignAwait();
    this.#finish(end);
  }
}
