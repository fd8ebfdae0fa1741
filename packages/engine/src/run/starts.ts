/** Bodies that are about to start, and how their attempts are recorded before that. */
import {
  type AttemptRecord,
  decideRecord,
  needsCommitBefore,
  type StartSituation,
} from "../core/decide/start.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { Bodies } from "./bodies.ts";
import type { BeginBody, Call } from "./call.ts";
import type { CommitBoundary, CommitBoundaryParts } from "./commit-boundary.ts";

export interface PendingStart {
  readonly call: Call;
  readonly started: StepWrite;
  readonly begin: BeginBody;
  /** It is queued once more after a commit has recorded it. @default false */
  readonly isRecorded?: boolean;
}

export interface RecordedStart {
  readonly start: PendingStart;
  readonly record: AttemptRecord;
}

export class Starts {
  readonly #parts: CommitBoundaryParts;
  readonly #boundary: CommitBoundary;
  readonly #bodies: Bodies;
  /** Starts that wait for a commit. */
  queued: PendingStart[] = [];
  /** Starts that the commit under way records. */
  recorded: RecordedStart[] = [];
  /** The next body is the first that undoes anything. History has to say so before: then no command brings the run back any more. */
  undoesFirst = false;

  constructor(parts: CommitBoundaryParts, boundary: CommitBoundary, bodies: Bodies) {
    this.#parts = parts;
    this.#boundary = boundary;
    this.#bodies = bodies;
  }

  /** Starts wait for a commit. */
  get isWaiting(): boolean {
    return this.queued.length > 0;
  }

  /** Starts a body now if no commit has to come first, otherwise after the next one. */
  add(start: PendingStart): void {
    if (needsCommitBefore(this.#situationOf(start.started))) this.queued.push(start);
    else this.#begin({ start, record: "none" });
  }

  /** Records queued starts in the commit that is about to be made, by rows or by names. @returns the names */
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

  /** Begins the bodies that the commit recorded. */
  beginRecorded(): void {
    for (const recorded of this.recorded.splice(0)) this.#begin(recorded);
  }

  /** Lets the recorded starts wait for another commit. */
  requeue(): void {
    const starts = this.recorded
      .splice(0)
      .map(({ start }) => Object.assign({}, start, { isRecorded: true }));
    this.queued.unshift(...starts);
  }

  /** Commits may have recorded starts that have not begun. */
  get mayBeRecorded(): boolean {
    return this.recorded.length > 0 || this.queued.some(({ isRecorded }) => isRecorded);
  }

  /**
   * Records bodies that began without a commit, in the next commit that is made anyway. A body that outlives a renewal of the
   * lease gets a row, so that the history shows it running.
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
    this.undoesFirst = false;
    this.#bodies.addAttempt(started, begin(call, started), record);
  }

  /** A step that was named before needs a row, because its count of lost attempts cannot be stored by naming it again. */
  #hasRow({ stepKey }: StepWrite): boolean {
    const { known } = this.#parts;
    return known.openRecordOf(stepKey) !== null || known.wasNamed(stepKey);
  }

  #situationOf(started: StepWrite): StartSituation {
    const { claimed, pending } = this.#parts;
    return {
      isAtMostOnce: started.maxAttempts === 1 || this.undoesFirst,
      hasRow: this.#hasRow(started),
      hasCommitted: this.#boundary.hasCommitted,
      isTakeover: claimed.lostLeases > 0,
      isLeaseOver: this.#boundary.isLeaseOver,
      hasUncommittedResult: pending.hasResult,
      hasUncommittedWait: pending.hasSettled,
    };
  }
}
