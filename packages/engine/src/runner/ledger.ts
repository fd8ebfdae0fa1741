/**
 * What a session knows of its run and has not committed yet, and the one way to commit it: fenced, whole, and with the
 * lease renewed when it is time.
 */
import { createHistory, type History, isSettled } from "../core/history/history.ts";
import type { Change, ForeignWrite, RunOutcome, StepWrite } from "../core/model/change.ts";
import type { EpochMs, EventRecord, HistoryStep, StepRecord } from "../core/model/records.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import type { ClaimedRun, CommitResult, RefusedCommit } from "../ports/store.ts";
import type { RunnerContext } from "./context.ts";

export type Committed = Extract<CommitResult, { kind: "committed" }>;

/** Nothing was applied: all changes that were noted are forgotten, and given back. */
export interface RefusedBoundary extends RefusedCommit {
  readonly changes: readonly Change[];
  readonly pauseRequested?: never;
}

/** What a boundary is besides what is noted. */
export interface Extent {
  /** See `Commit`; what the row should have after `continue`. */
  readonly impliedAttempts: 0 | 1;
  readonly foreign: readonly ForeignWrite[];
}

const NOTHING_MORE: Extent = { impliedAttempts: 0, foreign: [] };

export class Ledger {
  readonly history: History;
  /** Database time as last heard. */
  now: EpochMs;
  /** Unconsumed events of the run, oldest first. */
  events: readonly EventRecord[];
  /** `do` and `waitForEvent` steps so far. */
  countedSteps: number;
  /** A wait is new since the last commit, so its row must be written though bodies are in flight. */
  hasNewWait = false;
  isCommitting = false;
  /** As the task's row has it: see `Commit.impliedAttempts`. 0: bodies start when their attempts are written. */
  impliedAttempts: number;

  readonly #context: RunnerContext;
  readonly #claimed: ClaimedRun;
  readonly #records: Map<string, HistoryStep>;
  #changes = new Map<string, StepWrite>();
  #consumed: Extract<Change, { kind: "eventConsumed" }>[] = [];
  #hasBodyResult = false;
  #hasSettledWait = false;
  /** Keys of waits that an event could end. */
  readonly #openEventWaits = new Set<string>();
  #knownEventSequence: number;
  #leaseRenewedAt: number;
  /** Process-clock instant at which `now` was heard. */
  #heardAt: number;

  constructor(context: RunnerContext, claimed: ClaimedRun, now: EpochMs) {
    this.#context = context;
    this.#claimed = claimed;
    this.now = now;
    this.history = createHistory(claimed.settled, claimed.open);
    this.#records = new Map(this.history.byKey);
    this.events = claimed.events;
    this.countedSteps = this.history.countedSteps;
    this.#knownEventSequence = claimed.events.at(-1)?.sequence ?? 0;
    this.impliedAttempts = claimed.lostClaims + 1;
    for (const step of claimed.open) this.#noteEventWait(step);
    this.#leaseRenewedAt = context.host.now();
    this.#heardAt = this.#leaseRenewedAt;
  }

  /** How long until a database instant, as far as the process clock can tell; for timers only. */
  estimateMsUntil(at: EpochMs): number {
    return at - this.now - (this.#context.host.now() - this.#heardAt);
  }

  /** What is known of a step; null: nothing yet. */
  recordOf(stepKey: string): HistoryStep | null {
    return this.#records.get(stepKey) ?? null;
  }

  /** The same for a step that is to be decided; null also when it is settled. */
  openRecordOf(stepKey: string): StepRecord | null {
    const record = this.recordOf(stepKey);
    return record === null || isSettled(record) ? null : record;
  }

  /** Whether a step's next state waits to be committed: its record still tells of the state before. */
  isNoted(stepKey: string): boolean {
    return this.#changes.has(stepKey);
  }

  /**
   * Whether a body may start before its start is committed: the claim, or the last commit, itself stands for the
   * attempt. Not once a result waits to be written, and not when the waits that came true leave open which way a later
   * claim would go.
   */
  get coversStart(): boolean {
    const isFresh = this.impliedAttempts > 0 && !this.isCommitting && !this.#hasBodyResult;
    return isFresh && this.isUnambiguous;
  }

  /** Whether a later claim would settle the waits that have come true since the last commit in the same order. */
  get isUnambiguous(): boolean {
    return !this.#hasSettledWait || this.history.openWaitCount <= 1;
  }

  get isRenewalDue(): boolean {
    const { host, leaseMs } = this.#context;
    return host.now() - this.#leaseRenewedAt >= leaseMs / 3;
  }

  /** Notes a step's next state for the next commit. */
  write(step: StepWrite): void {
    this.#changes.set(step.stepKey, step);
    if (step.type === "do") this.#hasBodyResult = true;
    else if (step.settledOrder !== null) this.#hasSettledWait = true;
    if (step.status === "waiting") this.hasNewWait = true;
    this.#noteEventWait(step);
  }

  #noteEventWait({ type, stepKey, settledOrder }: StepWrite | StepRecord): void {
    if (type !== "waitForEvent") return;
    if (settledOrder === null) this.#openEventWaits.add(stepKey);
    else this.#openEventWaits.delete(stepKey);
  }

  /** Notes a step's outcome and makes it known at once. */
  settle(step: StepWrite): void {
    this.write(step);
    this.#remember(step, this.now);
  }

  consume(event: Pick<EventRecord, "id">, stepKey: string): void {
    this.events = this.events.filter((other) => other.id !== event.id);
    this.#consumed.push({ kind: "eventConsumed", eventId: event.id, stepKey });
  }

  /** Commits everything noted, with the outcome. One trip. null: the lease is lost. */
  async commit(
    outcome: RunOutcome,
    { impliedAttempts, foreign }: Extent = NOTHING_MORE,
  ): Promise<Committed | RefusedBoundary | null> {
    const { host, leaseMs, logger } = this.#context;
    const steps = [...this.#changes.values()];
    const isRenewal = outcome.kind === "continue" && this.isRenewalDue;
    const changes = [
      ...steps.map((step): Change => ({ kind: "step", step })),
      ...this.#consumed,
      ...foreign,
    ];
    const request = {
      lease: this.#claimed.lease,
      run: this.#claimed.run,
      changes,
      outcome,
      impliedAttempts: impliedAttempts === this.impliedAttempts ? null : impliedAttempts,
      readsEvents: outcome.kind === "continue" && this.#openEventWaits.size > 0,
      renewLeaseMs: isRenewal ? leaseMs : null,
      knownEventSequence: this.#knownEventSequence,
    };
    const askedAt = host.now();
    this.#forgetUncommitted();
    this.isCommitting = true;
    const result = await this.#context.commit(request);
    this.isCommitting = false;
    if (result.kind === "refused") return { ...result, changes };
    if (result.kind === "failed") {
      logger.log("error", "commit.refused", { ...this.#claimed.run, error: String(result.error) });
    }
    if (result.kind !== "committed") return null;
    if (isRenewal) this.#leaseRenewedAt = askedAt;
    this.impliedAttempts = impliedAttempts;
    this.#hear(result, steps);
    return result;
  }

  #forgetUncommitted(): void {
    this.#changes = new Map();
    this.#consumed = [];
    this.#hasBodyResult = false;
    this.#hasSettledWait = false;
    this.hasNewWait = false;
  }

  /** Records take the instants that the commit gave them; events that came meanwhile are known from now on. */
  #hear(result: Committed, changes: readonly StepWrite[]): void {
    this.now = Math.max(this.now, result.now);
    this.#heardAt = this.#context.host.now();
    for (const step of changes) {
      if (!this.isNoted(step.stepKey)) this.#remember(step, result.now);
    }
    const fresh = result.events.filter((event) => event.sequence > this.#knownEventSequence);
    this.events = [...this.events, ...fresh];
    this.#knownEventSequence = fresh.at(-1)?.sequence ?? this.#knownEventSequence;
  }

  #remember(step: StepWrite, now: EpochMs): void {
    const createdAt = this.openRecordOf(step.stepKey)?.createdAt ?? null;
    this.#records.set(step.stepKey, toStepRecord(step, createdAt, now));
  }
}
