/** The only way in which a session commits: with a fence, all at once, and renewing the lease when it is time. */
import { isSettled } from "../core/history/history.ts";
import type { Change, Commit, OtherTableWrites, RunOutcome } from "../core/model/change.ts";
import type { DivergedStep, DurationMs, ParentRef } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { BoundaryResult } from "./boundary-result.ts";
import type { Budget } from "./budget.ts";
import type { RunContext } from "./context.ts";
import type { HeldChildren } from "./held-children.ts";
import { childSteps, parentNotices } from "./late-code.ts";
import { loadOrNull } from "./missing-code.ts";
import type { KnownRun } from "./known-run.ts";
import type { PendingChanges } from "./pending-changes.ts";
import { isEnd } from "./session-end.ts";
import type { Followed } from "./telemetry.ts";

/** What a boundary carries besides pending changes. */
export interface Extent {
  readonly startedKeys: readonly string[];
  readonly otherTables: readonly OtherTableWrites[];
  /** What the instance's status is to report. */
  readonly diverged: readonly DivergedStep[];
}

export interface CommitBoundaryParts {
  readonly context: RunContext;
  readonly claimed: ClaimedRun;
  readonly followed: Followed | undefined;
  readonly known: KnownRun;
  readonly pending: PendingChanges;
  readonly budget: Budget;
}

export class CommitBoundary {
  /** A commit is under way, or its answer has not been handled yet. Set by the caller. */
  isHeld = false;
  readonly #parts: CommitBoundaryParts;
  /** By the process's monotonic clock. */
  #renewAtMs: number;
  /** By the process's monotonic clock. */
  #leaseEndsAtMs: number;
  /** The length of the lease when it was last renewed. */
  #leaseMs: DurationMs;
  readonly #onProgress: () => void;
  #number = 0;
  #hasCommitted = false;
  #hasProgressed = false;

  constructor(parts: CommitBoundaryParts, leaseEndsAtMs: number, onProgress: () => void) {
    this.#parts = parts;
    this.#leaseEndsAtMs = leaseEndsAtMs;
    this.#onProgress = onProgress;
    const { host, leaseMs } = parts.context;
    this.#renewAtMs = host.elapsedMs() + leaseMs / 3;
    this.#leaseMs = leaseMs;
  }

  /** Something was committed under this lease. */
  get hasCommitted(): boolean {
    return this.#hasCommitted;
  }

  /** The lease may have ended, and another process may hold the run. Only a commit can find out. */
  get isLeaseOver(): boolean {
    return this.#parts.context.host.elapsedMs() >= this.#leaseEndsAtMs;
  }

  get isRenewalDue(): boolean {
    return this.#parts.context.host.elapsedMs() >= this.#renewAtMs;
  }

  /** Commits everything pending, with the outcome. One trip. */
  async commit(
    outcome: RunOutcome,
    { startedKeys = [], otherTables = [], diverged = [] }: Partial<Extent> = {},
  ): Promise<BoundaryResult> {
    const { context, claimed, followed, known, pending } = this.#parts;
    const failedCount = pending.others?.failed.length ?? 0;
    const told = claimed.parent === null ? [] : await this.#tellParent(claimed.parent, outcome);
    const recordsAll = outcome.kind === "continue" && otherTables.length === 0;
    const taken = pending.take(startedKeys, recordsAll);
    const own = told.length === 0 ? taken : [...taken, ...told];
    const held = otherTables.length === 0 && own.some(isChild) ? await this.#hold(own) : null;
    const kept = held?.changes ?? own;
    const changes = otherTables.length === 0 ? kept : [...kept, ...otherTables];
    const request = this.#toCommit(changes, outcome, diverged);
    const askedAtMs = context.host.elapsedMs();
    const askedAt = known.estimateNow();
    const result = await context.commit(request);
    const created = result.kind === "committed" ? (result.children ?? []) : [];
    held?.start(created, "now" in result ? result.now : 0);
    if (result.kind === "refused" || result.kind === "failed") return { ...result, changes };
    if (result.kind === "conflict") return { kind: "lost" };
    if (request.renewLeaseMs !== null) {
      this.#leaseEndsAtMs = askedAtMs + request.renewLeaseMs;
      // A longer lease is renewed as long before its end as any other.
      this.#leaseMs = request.renewLeaseMs;
      const longerMs = this.#leaseMs - context.leaseMs;
      this.#renewAtMs = askedAtMs + longerMs + context.leaseMs / 3;
    }
    this.#hasCommitted = true;
    if (told.length > 0 || pending.others?.concernOthers(changes) === true)
      context.noteDue(claimed.run);
    if (!this.#hasProgressed && changes.some(isProgress)) {
      this.#hasProgressed = true;
      this.#onProgress();
    }
    known.hearTime(result.now);
    known.endRequested = result.endRequested ?? known.endRequested;
    // A wait compares events with the time at which its row was written: that of the first try.
    pending.applied(changes, result.now, result.isRepeated ? askedAt : result.now);
    if (request.readsEvents) known.events.observe(result);
    followed?.committed(changes, outcome, result);
    context.lifecycle.tell?.({
      kind: "committed",
      claimed,
      changes,
      outcome,
      result,
      failed: pending.others?.failed.splice(0, failedCount) ?? [],
    });
    return result;
  }

  /** Returns nothing unless the child ends. */
  async #tellParent(parent: ParentRef, outcome: RunOutcome): Promise<readonly Change[]> {
    if (!isEnd(outcome)) return [];
    return [(await parentNotices()).toParentNotice(this.#parts.context, parent, outcome)];
  }

  /** A commit with writes to other tables may be refused, so the children that it creates are left to a claim. */
  async #hold(changes: readonly Change[]): Promise<HeldChildren | null> {
    const { context, claimed } = this.#parts;
    const code = await loadOrNull(childSteps);
    return code && new code.HeldChildren(context, claimed.run, changes);
  }

  #toCommit(changes: readonly Change[], outcome: RunOutcome, diverged: Extent["diverged"]): Commit {
    const { context, claimed, known, pending, budget } = this.#parts;
    const goesOn = outcome.kind === "continue";
    this.#number += 1;
    return {
      lease: claimed.lease,
      number: this.#number,
      run: claimed.run,
      changes,
      outcome,
      diverged,
      clearsLostLeases:
        goesOn && claimed.lostLeases > 0 && !this.#hasProgressed && changes.some(isProgress),
      readsEvents: goesOn && pending.awaitedTypes.length > 0,
      renewLeaseMs:
        goesOn && this.isRenewalDue ? budget.toLeaseMs(context.leaseMs, this.#leaseMs) : null,
      // When the run parks, every event that its waits could take must be known up to here.
      knownEventSequence: goesOn
        ? known.events.sequence
        : known.events.sequenceFor(pending.awaitedTypes),
      knownEndRequest: known.endRequested,
    };
  }
}

const isChild = ({ kind }: Change): boolean => kind === "childCreated";

/** Whether a step gets its outcome. The start of a body is not progress, because that body may be what kills the process. */
const isProgress = (change: Change): boolean => change.kind === "step" && isSettled(change.step);
