/** Bodies that are to start, and what stands for their attempts before they do. */
import { decideStartTakenBack } from "../core/decide/attempt.ts";
import {
  type AttemptRecord,
  decideRecord,
  needsCommitBefore,
  type StartSituation,
} from "../core/decide/start.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { Bodies } from "./bodies.ts";
import type { BeginBody, Call, Calls } from "./call.ts";
import type { CommitBoundary, CommitBoundaryParts } from "./commit-boundary.ts";

export interface PendingStart {
  readonly call: Call;
  readonly started: StepWrite;
  readonly begin: BeginBody;
}

export interface RecordedStart {
  readonly start: PendingStart;
  readonly record: AttemptRecord;
}

export class Starts {
  readonly #parts: CommitBoundaryParts;
  readonly #boundary: CommitBoundary;
  readonly #bodies: Bodies;
  /** Wait for a commit. */
  queued: PendingStart[] = [];
  /** Those of them that a commit has recorded before. null: none was, as in most runs; see `Failures` for the cost of weak keys. */
  #requeued: WeakSet<PendingStart> | null = null;
  /** Recorded in the commit that is under way. */
  recorded: RecordedStart[] = [];

  constructor(parts: CommitBoundaryParts, boundary: CommitBoundary, bodies: Bodies) {
    this.#parts = parts;
    this.#boundary = boundary;
    this.#bodies = bodies;
  }

  /** Starts wait for a commit. */
  get isWaiting(): boolean {
    return this.queued.length > 0;
  }

  /** Starts a body now if no commit must precede it, else behind the next one. */
  add(start: PendingStart): void {
    if (needsCommitBefore(this.#situationOf(start.started))) this.queued.push(start);
    else this.#begin({ start, record: "none" });
  }

  /** Records what waits in the commit that is about to be made, by rows or by names; those are returned. */
  record(): readonly string[] {
    const { pending } = this.#parts;
    this.recorded = this.queued.splice(0).map((start) => {
      const { started } = start;
      const canCarry = pending.canCarryName(started.stepKey);
      return { start, record: decideRecord(this.#situationOf(started), canCarry) };
    });
    const attempts = this.recorded.map(({ start, record }) => ({
      attempt: start.started,
      record,
    }));
    return this.#write(attempts);
  }

  /** Begins what the commit recorded. */
  beginRecorded(): void {
    for (const recorded of this.recorded.splice(0)) this.#begin(recorded);
  }

  /** What the commit recorded waits for another one. */
  requeue(): void {
    const starts = this.recorded.splice(0).map(({ start }) => start);
    this.#requeued ??= new WeakSet();
    for (const start of starts) this.#requeued.add(start);
    this.queued.unshift(...starts);
  }

  /** What commits recorded must not begin after all: its calls are to be decided again. */
  withdraw(calls: Pick<Calls, "reopen">): void {
    const requeued = this.queued.filter((start) => this.wasRequeued(start));
    this.queued = this.queued.filter((start) => !this.wasRequeued(start));
    for (const { call, started } of [
      ...this.recorded.splice(0).map(({ start }) => start),
      ...requeued,
    ]) {
      this.#parts.pending.add(decideStartTakenBack(started));
      calls.reopen(call);
    }
  }

  /** A commit has recorded it before. */
  wasRequeued(start: PendingStart): boolean {
    return this.#requeued?.has(start) === true;
  }

  /**
   * Bodies that began without a commit are recorded with the first one that is made anyway. One that outlives a renewal of
   * the lease gets a row, so that history shows it running.
   */
  #write(
    starting: readonly { readonly attempt: StepWrite; readonly record: AttemptRecord }[],
  ): readonly string[] {
    const { pending } = this.#parts;
    const isRenewal = this.#boundary.isRenewalDue;
    const running = this.#bodies.takeUnrecorded(isRenewal, (attempt) =>
      !isRenewal && pending.canCarryName(attempt.stepKey) && !this.#hasRow(attempt)
        ? "name"
        : "row",
    );
    const names: string[] = [];
    for (const { attempt, record } of [...running, ...starting]) {
      if (record === "row") this.#parts.pending.add(attempt);
      else names.push(attempt.stepKey);
    }
    return names;
  }

  #begin({ start: { call, started, begin }, record }: RecordedStart): void {
    this.#bodies.addAttempt(started, begin(call, started), record);
  }

  /** One that was named before has the count of its lost attempts to tell, which a second name could not. */
  #hasRow({ stepKey }: StepWrite): boolean {
    const { known } = this.#parts;
    return known.openRecordOf(stepKey) !== null || known.wasNamed(stepKey);
  }

  #situationOf(started: StepWrite): StartSituation {
    const { claimed, pending } = this.#parts;
    return {
      isAtMostOnce: started.maxAttempts === 1,
      hasRow: this.#hasRow(started),
      hasCommitted: this.#boundary.hasCommitted,
      isTakeover: claimed.lostLeases > 0,
      isLeaseOver: this.#boundary.isLeaseOver,
      hasUncommittedResult: pending.hasResult,
      hasUncommittedWait: pending.hasSettled,
    };
  }
}
