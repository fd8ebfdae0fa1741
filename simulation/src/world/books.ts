/** What has truly been applied: leases, settled steps and consumed events, as the calls of the store and its answers tell. */
import type { ClaimedRun, Commit } from "./engine-types.ts";
import {
  type EndRequest,
  type LeaseRecord,
  type RunEnd,
  runIdOf,
  type SettledFact,
  type SettledWrite,
  type Violation,
} from "./facts.ts";
import { endIn, settledBy, startsIn } from "./commit-writes.ts";
import { newLease, type Taken } from "./new-lease.ts";
import { compareSettled, show } from "./settled-facts.ts";
import { Requests } from "./requests.ts";

interface Applied {
  /** Of the commit, in its lease. */
  readonly number: number;
  readonly at: number;
  /** The run has failed, and the next one of its instance begins. */
  readonly isRetried: boolean;
}

export class Books {
  readonly violations: Violation[] = [];
  /** Instances that retention has deleted, as `workflow/id`, and when. */
  readonly deleted: Map<string, number> = new Map();
  readonly leases: LeaseRecord[] = [];
  readonly #byToken = new Map<string, Map<string, LeaseRecord>>();
  readonly #current = new Map<string, LeaseRecord>();
  /** By run, then by step key. */
  readonly settled: Map<string, Map<string, SettledFact>> = new Map();
  /** Every outcome that was ever written, in the order in which it was, by run. */
  readonly outcomes: Map<string, SettledWrite[]> = new Map();
  /** Steps whose rows a loop has removed, by run. */
  readonly trimmed: Map<string, Set<string>> = new Map();
  /** By event id, the run and the step that has consumed it. */
  readonly #consumed = new Map<string, string>();
  /** Runs of which a commit was sent again after it had been applied: their runner counts time from the repeat on. */
  readonly repeated: Set<string> = new Set();
  /** When a step was last named or written as running, and not settled since; by run, then step. */
  readonly started: Map<string, Set<string>> = new Map();

  /** By run, the steps that its commits said code and history disagree on. */
  readonly diverged: Map<string, Set<string>> = new Map();
  readonly requests: Requests = new Requests();
  /** By instance, how many of its runs have failed and begun again, in a row. */
  readonly retryCounts: Map<string, number> = new Map();
  /** By run, how its own last commit ended it. */
  readonly ends: Map<string, RunEnd> = new Map();
  /** Runs that a call from outside has terminated, and when. */
  readonly terminated: Map<string, number> = new Map();
  /** Runs that a call from outside has ended, begun anew or paused, and when. */
  readonly releasedAt: Map<string, number> = new Map();
  /** By run, when each step settled, by the commit's instant. */
  readonly settledAt: Map<string, Map<string, number>> = new Map();

  /** By run that was brought back or retried, what it had come to each time. */
  readonly pastLives: Map<string, (readonly SettledWrite[])[]> = new Map();
  /** When runs were last brought back or retried. */
  readonly reopenedAt: Map<string, number> = new Map();
  /** By run, steps that had settled when it was last brought back or retried, or that it began with as a fork. */
  readonly kept: Map<string, ReadonlySet<string>> = new Map();
  /** Runs that began as forks, each with the run that it is of. */
  readonly copied: Map<string, string> = new Map();
  /** Runs in which a step is open again that settled before others which stay settled. */
  readonly disordered: Set<string> = new Set();
  readonly #keyNumbers = new Map<string, number>();
  /** By run, the lease under which each step settled. */
  readonly settledUnder: Map<string, Map<string, LeaseRecord>> = new Map();

  /** How often a run was brought back or retried. */
  reopeningsOf(runId: string): number {
    return this.pastLives.get(runId)?.length ?? 0;
  }

  /** A run that had ended, or went on, begins again at some of its steps. */
  reopened(
    runId: string,
    { goes, at }: { readonly goes: (step: SettledWrite) => boolean; readonly at: number },
  ): void {
    const outcomes = this.outcomes.get(runId) ?? [];
    this.pastLives.set(runId, [...(this.pastLives.get(runId) ?? []), outcomes]);
    this.outcomes.set(
      runId,
      outcomes.filter((step) => !goes(step)),
    );
    for (const { stepKey } of outcomes.filter(goes)) {
      const facts = [this.settled, this.settledAt, this.settledUnder, this.trimmed, this.started];
      for (const byRun of facts) byRun.get(runId)?.delete(stepKey);
      for (const [eventId, step] of this.#consumed)
        if (step === `${runId} ${stepKey}`) this.#consumed.delete(eventId);
    }
    this.kept.set(runId, new Set(this.outcomes.get(runId)?.map(({ stepKey }) => stepKey)));
    this.ends.delete(runId);
    this.terminated.delete(runId);
    this.requests.takeBack(runId, at);
    this.retryCounts.delete(instanceOf(runId));
    this.reopenedAt.set(runId, at);
    this.touched(runId);
    this.released(runId, at);
  }

  /** A fork begins with steps of another run. */
  copy(from: string, to: string, stays: (step: SettledWrite) => boolean): void {
    const outcomes = (this.outcomes.get(from) ?? []).filter(stays);
    const gone = this.trimmed.get(from) ?? new Set();
    const settled = [...(this.settled.get(from) ?? [])].filter(([key]) =>
      outcomes.some(({ stepKey }) => stepKey === key),
    );
    const keys = outcomes.map(({ stepKey }) => stepKey);
    this.outcomes.set(to, outcomes);
    this.settled.set(to, new Map(settled));
    this.trimmed.set(to, new Set(keys.filter((key) => gone.has(key))));
    this.kept.set(to, new Set(keys));
    this.copied.set(to, from);
    this.requests.copy(from, to);
    if (this.repeated.has(from)) this.repeated.add(to);
    if (this.disordered.has(from)) this.disordered.add(to);
  }

  /** From now on no step of an instance has an idempotency key that one had before. */
  newKeys(runId: string): void {
    const instance = instanceOf(runId);
    this.#keyNumbers.set(instance, (this.#keyNumbers.get(instance) ?? 0) + 1);
  }

  report(rule: string, detail: string): void {
    this.violations.push({ rule, detail });
  }

  leaseOf(token: string, runId: string): LeaseRecord | undefined {
    return this.#byToken.get(token)?.get(runId);
  }

  currentOf(runId: string): LeaseRecord | undefined {
    return this.#current.get(runId);
  }

  /** A claim, or a call that claims on its way, has given a run to a runner. @returns its lease, and the one that it was taken from */
  claimed(run: ClaimedRun, taken: Taken): { lease: LeaseRecord; before: LeaseRecord | undefined } {
    const runId = runIdOf(run.run);
    const { token } = run.lease;
    const before = this.#current.get(runId);
    const isTakeover = before !== undefined && before.end === null;
    if (isTakeover) {
      before.end = "takeover";
      before.endedAt = taken.takenAt;
    }
    this.#compare(runId, run);
    // What the run before it may be told again is past.
    this.touched(`${instanceOf(runId)}/${run.run.runNumber - 1}`);
    const lease = newLease(run, taken, {
      isFresh: !isTakeover,
      reopenings: this.reopeningsOf(runId),
      keyNumber: this.#keyNumbers.get(instanceOf(runId)) ?? 0,
    });
    this.leases.push(lease);
    this.#current.set(runId, lease);
    const byRun = this.#byToken.get(token) ?? new Map<string, LeaseRecord>();
    byRun.set(runId, lease);
    this.#byToken.set(token, byRun);
    return { lease, before: isTakeover ? before : undefined };
  }

  /** The history that a claim reads must hold all that was ever settled, as it was. */
  #compare(runId: string, run: ClaimedRun): void {
    const known = this.settled.get(runId) ?? new Map<string, SettledFact>();
    for (const finding of compareSettled(known, run.settled))
      this.report("progress", `${runId} ${finding}`);
    for (const event of run.events) {
      const key = this.#consumed.get(event.id);
      if (key !== undefined)
        this.report("events", `${runId} an event that ${key} consumed is back`);
    }
  }

  /** A commit was applied for the first time, and in its turn. */
  committed(commit: Commit, { number, at, isRetried }: Applied): void {
    const runId = runIdOf(commit.run);
    const lease = this.leaseOf(commit.lease.token, runId);
    if (lease === undefined)
      return this.report("fence", `${runId} a commit without a lease was applied`);
    if (lease.end !== null)
      this.report(
        "fence",
        `${runId} a commit was applied under a lease that had ended by ${lease.end}`,
      );
    lease.commitCount += 1;
    lease.firstCommitAt = Math.min(lease.firstCommitAt, at);
    lease.lastCommit = Math.max(lease.lastCommit, number);
    if (commit.changes.length === 0 && commit.renewLeaseMs === null) lease.emptyCount += 1;
    const settled = this.settled.get(runId) ?? new Map<string, SettledFact>();
    this.settled.set(runId, settled);
    const started = this.started.get(runId) ?? new Set<string>();
    this.started.set(runId, started);
    const outcomes = this.outcomes.get(runId) ?? [];
    this.outcomes.set(runId, outcomes);
    outcomes.push(...settledBy(commit));
    for (const change of commit.changes) {
      if (change.kind === "eventConsumed") this.#consume(runId, change.eventId, change.stepKey);
      if (change.kind !== "step") continue;
      const { step } = change;
      for (const [key, start] of startsIn(change, number)) {
        lease.named.set(key, (lease.named.get(key) ?? new Set()).add(start));
        started.add(key);
      }
      if (step.settledOrder === null) continue;
      const before = settled.get(step.stepKey);
      const fact = { status: step.status, result: step.result, order: step.settledOrder };
      if (before !== undefined)
        this.report(
          "progress",
          `${runId} ${step.stepKey} settled again, as ${show(fact)} after ${show(before)}`,
        );
      else settled.set(step.stepKey, fact);
      lease.settled.add(step.stepKey);
      const under = this.settledUnder.get(runId) ?? new Map<string, LeaseRecord>();
      this.settledUnder.set(runId, under.set(step.stepKey, lease));
      const instants = this.settledAt.get(runId) ?? new Map<string, number>();
      this.settledAt.set(runId, instants.set(step.stepKey, at));
    }
    this.#trim(runId, commit);
    if (commit.outcome.kind === "continue") return;
    lease.end = "commit";
    lease.endedAt = at;
    this.#noteEnd(lease, commit, { at, isRetried });
  }

  #noteEnd(
    lease: LeaseRecord,
    { outcome }: Commit,
    { at, isRetried }: Pick<Applied, "at" | "isRetried">,
  ): void {
    const { runId, toldToEnd: told, wasToldAtOnce } = lease;
    const end = endIn(outcome, isRetried);
    if (end === null) return;
    const instance = instanceOf(runId);
    const deadlineAt = this.requests.deadlineOf(instance);
    const retryCount = this.retryCounts.get(instance) ?? 0;
    this.ends.set(runId, { ...end, at, deadlineAt, retryCount, told, wasToldAtOnce });
    if (!isRetried) return;
    this.retryCounts.set(instance, retryCount + 1);
    if (end.hasNewKeys) this.newKeys(runId);
  }

  /** A runner hears how a run is to end, with what its lease is told. */
  heard(lease: LeaseRecord, request: EndRequest | null, at: number): void {
    if (request === null) return;
    const leaves = request !== "cancel" && request !== "deadline";
    lease.wasToldAtOnce ||= !lease.isUsed && leaves;
    lease.toldToEnd = request;
    this.requests.heard(lease.runId, at);
  }

  #trim(runId: string, { changes }: Commit): void {
    const trimmed = this.trimmed.get(runId) ?? new Set<string>();
    this.trimmed.set(runId, trimmed);
    for (const change of changes) {
      if (change.kind !== "stepsTrimmed") continue;
      for (const key of change.stepKeys) {
        trimmed.add(key);
        this.settled.get(runId)?.delete(key);
      }
    }
  }

  #consume(runId: string, eventId: string, key: string): void {
    const before = this.#consumed.get(eventId);
    if (before !== undefined)
      this.report("events", `${before} and ${runId} ${key} consumed one event`);
    this.#consumed.set(eventId, `${runId} ${key}`);
  }

  /** Somebody outside has changed the run, or asked for it. */
  touched(runId: string): void {
    const lease = this.#current.get(runId);
    if (lease !== undefined) lease.isPast = true;
  }

  /** A call from outside has ended the run: whoever holds it is to write nothing more. */
  released(runId: string, at: number): void {
    this.releasedAt.set(runId, at);
    const lease = this.#current.get(runId);
    if (lease === undefined) return;
    lease.isRevoked = true;
    if (lease.end !== null) return;
    lease.end = "commit";
    lease.endedAt = at;
  }
}

const instanceOf = (runId: string): string => runId.slice(0, runId.lastIndexOf("/"));
