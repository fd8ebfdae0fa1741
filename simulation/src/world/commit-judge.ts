/** Whether commits count once, and in their order: each has a number within its lease, by which repeats are told. */
import type { DeadlineWatch } from "./deadline-watch.ts";
import { difference } from "./difference.ts";
import type { Commit, CommitResult } from "./engine-types.ts";
import { type LeaseRecord, runIdOf } from "./facts.ts";
import type { Watched } from "./watched.ts";

interface Parts extends Watched {
  readonly deadlines: DeadlineWatch;
}

export class CommitJudge {
  readonly #parts: Parts;
  /** Number of each commit within its lease, and whether it was applied; by its changes, which repeats of it share. */
  readonly #commits = new WeakMap<
    Commit["changes"],
    { readonly number: number; isApplied: boolean; hasPaused: boolean }
  >();
  readonly #commitCounts = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Gives a commit its number as its runner sends it. @returns false: it has one, and is sent again */
  number(commit: Commit): boolean {
    if (this.#commits.has(commit.changes)) return false;
    const key = `${commit.lease.token} ${runIdOf(commit.run)}`;
    const number = (this.#commitCounts.get(key) ?? 0) + 1;
    this.#commitCounts.set(key, number);
    this.#commits.set(commit.changes, { number, isApplied: false, hasPaused: false });
    return true;
  }

  isApplied(commit: Commit): boolean {
    return this.#commits.get(commit.changes)?.isApplied === true;
  }

  /** null: a commit that has its turn, or another one of its run in the same trip, may change what it likes. */
  async snapshotIfOld(commit: Commit, trip: readonly Commit[]): Promise<string | null> {
    const runId = runIdOf(commit.run);
    const isQuiet = trip.every(
      (one) => (runIdOf(one.run) !== runId && !changesOthers(one)) || this.isOld(one),
    );
    return isQuiet && this.#parts.subject.isQuick ? this.#snapshot(commit) : null;
  }

  isOld(commit: Commit): boolean {
    const known = this.#commits.get(commit.changes);
    const last = this.#leaseOf(commit)?.lastCommit ?? 0;
    return known?.isApplied === true || (known?.number ?? 0) < last;
  }

  #leaseOf(commit: Commit): LeaseRecord | undefined {
    return this.#parts.books.leaseOf(commit.lease.token, runIdOf(commit.run));
  }

  async judge(commit: Commit, result: CommitResult, before: string | null): Promise<void> {
    const known = this.#commits.get(commit.changes);
    const runId = runIdOf(commit.run);
    if (known === undefined) return;
    if (this.isOld(commit)) {
      this.#parts.books.repeated.add(runId);
      if (result.kind === "committed") this.#parts.deadlines.noteTold(runId, result.endRequested);
      const after = before === null ? null : await this.#snapshot(commit);
      if (after !== before)
        this.#parts.books.report(
          "fence",
          `${runId} commit ${known.number} of its lease was applied ${known.isApplied ? "again" : "after a later one"}: ${difference(before ?? "", after ?? "")}`,
        );
      if (
        known.isApplied &&
        !known.hasPaused &&
        result.kind !== "committed" &&
        this.#isLast(commit, known.number)
      )
        this.#parts.books.report(
          "fence",
          `${runId} a repeat of an applied commit answered ${result.kind}`,
        );
      return;
    }
    if (result.kind !== "committed") return;
    if (commit.outcome.kind === "continue")
      this.#parts.deadlines.checkTold(runId, result.endRequested);
    known.isApplied = true;
    known.hasPaused = result.paused;
    const isRetried =
      commit.outcome.kind === "retryRun" &&
      (await this.#runNumberOf(commit.run)) > commit.run.runNumber;
    const at = this.#parts.scheduler.now;
    this.#parts.books.committed(commit, { number: known.number, at, isRetried });
  }

  async #runNumberOf({ workflowName, instanceId }: Commit["run"]): Promise<number> {
    const instance = await this.#parts.subject.store.loadInstance(workflowName, instanceId);
    return instance?.runNumber ?? 0;
  }

  /** Nothing has happened to the run since. */
  #isLast(commit: Commit, number: number): boolean {
    const lease = this.#leaseOf(commit);
    const isCurrent = this.#parts.books.currentOf(runIdOf(commit.run)) === lease;
    return isCurrent && lease?.lastCommit === number && lease.end !== "takeover" && !lease.isPast;
  }

  async #snapshot({ run }: Commit): Promise<string> {
    const { store } = this.#parts.subject;
    const instance = await store.loadInstance(run.workflowName, run.instanceId);
    const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
    const history = await store.loadHistory({ ...run, ...page });
    const withoutInstant = (name: string, value: unknown): unknown =>
      name === "updatedAt" ? 0 : value;
    return JSON.stringify([instance, history.steps.items, history.events.items], withoutInstant, 1);
  }
}

/** Whether a commit writes to its parent, or to children. */
const changesOthers = ({ changes }: Commit): boolean =>
  changes.some(({ kind }) => kind === "parentTold" || kind === "childReleased");
