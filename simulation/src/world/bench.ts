/** Applies calls to the store under test, and looks at what each of them has changed. */
import type { Scheduler } from "../scheduler.ts";
import type { Books } from "./books.ts";
import { type LeaseRecord, runIdOf } from "./facts.ts";
import type {
  ClaimedRun,
  ClaimResult,
  Commit,
  CommitResult,
  ControlResult,
  CreateResult,
  DeliverResult,
  EmitResult,
  InstanceRecord,
  NewInstance,
  RestartOrCreateResult,
  SendEventResult,
  Store,
  UpdateResult,
} from "./engine-types.ts";
import { DeadlineWatch } from "./deadline-watch.ts";
import { Family } from "./family.ts";
import { FamilyWatch } from "./family-watch.ts";
import type { StoreCall } from "./network.ts";
import { difference } from "./difference.ts";
import { firstRunOf } from "./first-run.ts";
import { Streams } from "./streams.ts";
import { Topics } from "./topics.ts";
import { Reopenings } from "./reopenings.ts";
import { Statuses } from "./statuses.ts";

/** A store under test. */
export interface Subject {
  readonly store: Store;
  /** Moves the store's own clock; absent: it reads the scheduler's. */
  readonly setNow?: (at: number) => Promise<void>;
  /** It may be read after every call. */
  readonly isQuick: boolean;
}

interface BenchOptions {
  readonly books: Books;
  readonly scheduler: Scheduler;
  readonly eventCap: number;
  readonly topicChunk: number;
}

export class Bench {
  readonly #subject: Subject;
  readonly #books: Books;
  readonly #scheduler: Scheduler;
  /** Number of each commit within its lease, and whether it was applied; by its changes, which repeats of it share. */
  readonly #commits = new WeakMap<
    Commit["changes"],
    { readonly number: number; isApplied: boolean; hasPaused: boolean }
  >();
  readonly #commitCounts = new Map<string, number>();
  readonly #statuses: Statuses;
  readonly #deadlines: DeadlineWatch;
  readonly family: Family;
  /** Requests to restart or create that have come once. */
  readonly #restarts = new WeakSet();
  readonly #watch: FamilyWatch;
  readonly #reopenings: Reopenings;

  readonly #eventCap: number;
  readonly topics: Topics;
  readonly streams: Streams;
  readonly #topicChunk: number;

  constructor(subject: Subject, { books, scheduler, eventCap, topicChunk }: BenchOptions) {
    this.#eventCap = eventCap;
    this.#topicChunk = topicChunk;
    this.topics = new Topics(books);
    this.streams = new Streams(books);
    this.#subject = subject;
    this.#books = books;
    this.#statuses = new Statuses(subject, books);
    this.#deadlines = new DeadlineWatch({ subject, books, scheduler, statuses: this.#statuses });
    this.family = new Family(books);
    this.#scheduler = scheduler;
    this.#reopenings = new Reopenings({
      subject,
      books,
      scheduler,
      brought: (runId, steps) =>
        this.#watch.leave(this.family.of(runId).filter(({ stepKey }) => !steps.has(stepKey))),
    });
    this.#watch = new FamilyWatch(this.family, {
      subject,
      books,
      scheduler,
      statuses: this.#statuses,
      claimed: (call, child, { token, leaseMs }) =>
        this.#take(call, firstRunOf(child, token), leaseMs),
    });
  }

  /** Instances that exist, as `workflow/id`. */
  get instances(): readonly string[] {
    return this.#statuses.keys;
  }

  /** Gives a commit its number as its runner sends it for the first time. */
  noteCommit(commit: Commit): void {
    if (this.#commits.has(commit.changes)) return;
    const key = `${commit.lease.token} ${runIdOf(commit.run)}`;
    const number = (this.#commitCounts.get(key) ?? 0) + 1;
    this.#commitCounts.set(key, number);
    this.#commits.set(commit.changes, { number, isApplied: false, hasPaused: false });
    this.#noteDiverged(commit);
    this.family.noteAsked(commit);
  }

  #noteDiverged({ run, diverged }: Commit): void {
    const { diverged: byRun } = this.#books;
    const keys = byRun.get(runIdOf(run)) ?? new Set();
    for (const { kind, stepKey } of diverged)
      byRun.set(runIdOf(run), keys.add(`${kind} ${stepKey}`));
  }

  async apply(call: StoreCall): Promise<unknown> {
    await this.#subject.setNow?.(this.#scheduler.now);
    if (call.verb === "commit") return this.#commit(call);
    const look = await this.#reopenings.watch(call);
    const verb = this.#subject.store[call.verb] as (...all: readonly unknown[]) => Promise<unknown>;
    const answer = await verb(...call.parameters);
    await look(answer);
    await this.#note(call, answer);
    if (call.verb !== "emit" && call.verb !== "deliver") return answer;
    const topicAnswer = answer as EmitResult | DeliverResult;
    this.topics.note(call, topicAnswer, this.#scheduler.now);
    return { ...topicAnswer, due: topicAnswer.due.slice(0, this.#topicChunk) };
  }

  async #commit(call: StoreCall): Promise<readonly CommitResult[]> {
    const commits = call.parameters[0] as readonly Commit[];
    const before = await Promise.all(commits.map((commit) => this.#snapshotIfOld(commit, commits)));
    const results = await this.#subject.store.commit(commits);
    const applied: Commit[] = [];
    for (const [index, commit] of commits.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if (isOfTopic(commit)) continue;
      const isAnswerAlone = this.#isOld(commit) && commit.outcome.kind !== "continue";
      const wasApplied = this.#commits.get(commit.changes)?.isApplied;
      await this.#judge(commit, result, before[index] ?? null);
      if (wasApplied === false && this.#commits.get(commit.changes)?.isApplied === true)
        applied.push(commit);
      await this.#statuses.look(commit.run.workflowName, commit.run.instanceId);
      if (result.kind === "committed" && !isAnswerAlone)
        await this.#watch.noteCommit(call, commit, result);
    }
    this.topics.committed(applied, this.#scheduler.now);
    this.streams.committed(applied, this.#scheduler.now);
    return results;
  }

  /** null: a commit that has its turn, or another one of its run in the same trip, may change what it likes. */
  async #snapshotIfOld(commit: Commit, trip: readonly Commit[]): Promise<string | null> {
    const runId = runIdOf(commit.run);
    const isQuiet = trip.every(
      (one) => (runIdOf(one.run) !== runId && !changesOthers(one)) || this.#isOld(one),
    );
    return isQuiet && this.#subject.isQuick ? this.#snapshot(commit) : null;
  }

  #isOld(commit: Commit): boolean {
    const known = this.#commits.get(commit.changes);
    const last = this.#leaseOf(commit)?.lastCommit ?? 0;
    return known?.isApplied === true || (known?.number ?? 0) < last;
  }

  #leaseOf(commit: Commit): LeaseRecord | undefined {
    return this.#books.leaseOf(commit.lease.token, runIdOf(commit.run));
  }

  async #judge(commit: Commit, result: CommitResult, before: string | null): Promise<void> {
    const known = this.#commits.get(commit.changes);
    const runId = runIdOf(commit.run);
    if (known === undefined) return;
    if (this.#isOld(commit)) {
      this.#books.repeated.add(runId);
      if (result.kind === "committed") this.#deadlines.noteTold(runId, result.endRequested);
      const after = before === null ? null : await this.#snapshot(commit);
      if (after !== before)
        this.#books.report(
          "fence",
          `${runId} commit ${known.number} of its lease was applied ${known.isApplied ? "again" : "after a later one"}: ${difference(before ?? "", after ?? "")}`,
        );
      if (
        known.isApplied &&
        !known.hasPaused &&
        result.kind !== "committed" &&
        this.#isLast(commit, known.number)
      )
        this.#books.report(
          "fence",
          `${runId} a repeat of an applied commit answered ${result.kind}`,
        );
      return;
    }
    if (result.kind !== "committed") return;
    if (commit.outcome.kind === "continue") this.#deadlines.checkTold(runId, result.endRequested);
    known.isApplied = true;
    known.hasPaused = result.paused;
    const isRetried =
      commit.outcome.kind === "retryRun" &&
      (await this.#runNumberOf(commit.run)) > commit.run.runNumber;
    const at = this.#scheduler.now;
    this.#books.committed(commit, { number: known.number, at, isRetried });
  }

  async #runNumberOf({ workflowName, instanceId }: Commit["run"]): Promise<number> {
    const instance = await this.#subject.store.loadInstance(workflowName, instanceId);
    return instance?.runNumber ?? 0;
  }

  /** Nothing has happened to the run since. */
  #isLast(commit: Commit, number: number): boolean {
    const lease = this.#leaseOf(commit);
    const isCurrent = this.#books.currentOf(runIdOf(commit.run)) === lease;
    return isCurrent && lease?.lastCommit === number && lease.end !== "takeover" && !lease.isPast;
  }

  async #note(call: StoreCall, answer: unknown): Promise<void> {
    if (call.verb === "claim") await this.#noteClaim(call, answer as ClaimResult);
    else if (call.verb === "create")
      await this.#noteCreate(call, answer as readonly CreateResult[]);
    else if (call.verb === "sendEvent") await this.#noteEvent(call, answer as SendEventResult);
    else if (call.verb === "control") await this.#noteControl(call, answer as ControlResult);
    else if (call.verb === "rewind" || call.verb === "fork") await this.#noteInstance(answer);
    else if (call.verb === "update") this.#deadlines.noteUpdate(call, answer as UpdateResult);
    else if (call.verb === "restartOrCreate")
      await this.#noteRestart(call, answer as RestartOrCreateResult);
  }

  async #noteClaim(call: StoreCall, { runs }: ClaimResult): Promise<void> {
    const { leaseMs } = call.parameters[0] as { readonly leaseMs: number };
    for (const run of runs.filter((claimed) => !isOfTopic(claimed))) {
      this.#deadlines.checkTold(runIdOf(run.run), run.endRequested);
      this.#take(call, run, leaseMs);
      await this.#statuses.look(run.run.workflowName, run.run.instanceId);
    }
  }

  async #noteCreate(call: StoreCall, results: readonly CreateResult[]): Promise<void> {
    const requests = call.parameters[0] as readonly NewInstance[];
    for (const [index, result] of results.entries()) {
      const request = requests[index];
      if (result.kind !== "created" || request === undefined) continue;
      const isNew = !this.#statuses.has(`${request.workflowName}/${request.instanceId}`);
      await this.#statuses.look(request.workflowName, request.instanceId);
      if (isNew) this.#deadlines.set(request, request.deadline);
      if (!isNew || request.claim === null) continue;
      const { token, leaseMs } = request.claim;
      this.#take(call, firstRunOf(request, token), leaseMs);
    }
  }

  async #noteEvent(call: StoreCall, result: SendEventResult): Promise<void> {
    const { claim } = call.parameters[0] as {
      readonly claim: { leaseMs: number } | null;
    };
    if (result.kind !== "applied") return;
    if (result.run !== null && claim !== null) {
      this.#deadlines.checkTold(runIdOf(result.run.run), result.run.endRequested);
      this.#take(call, result.run, claim.leaseMs);
    }
    await this.#statuses.look(result.instance.workflowName, result.instance.instanceId);
    if (this.#subject.isQuick) await this.#countEvents(result.instance);
  }

  async #countEvents({ workflowName, instanceId, runNumber }: InstanceRecord): Promise<void> {
    const run = { workflowName, instanceId, runNumber };
    const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
    const { events } = await this.#subject.store.loadHistory({ ...run, ...page });
    // What a rewind brings back may be more.
    if (this.#books.reopeningsOf(runIdOf(run)) > 0) return;
    const held = events.items.filter(
      ({ deliveredAt, type }) => deliveredAt === null && !/^(?:child|topic) /u.test(type),
    ).length;
    if (held > this.#eventCap)
      this.#books.report(
        "events",
        `${runIdOf(run)} holds ${held} undelivered events, and may hold ${this.#eventCap}`,
      );
  }

  async #noteControl(call: StoreCall, result: ControlResult): Promise<void> {
    if (result.kind !== "applied") return;
    const { command } = call.parameters[0] as { readonly command: string };
    const { instance } = result;
    if (command === "cancel" || command === "rollback")
      this.#books.requests.ask(runIdOf(instance), command, this.#scheduler.now);
    const isRestart = command === "restart" || command === "restartWithNewKeys";
    const ends = ["terminated", "paused"].includes(instance.status) || isRestart;
    const runNumber = isRestart ? instance.runNumber - 1 : instance.runNumber;
    if (command === "restartWithNewKeys") this.#books.newKeys(runIdOf(instance));
    if (isRestart) this.#noteNewRun(instance);
    this.#books.touched(runIdOf({ ...instance, runNumber }));
    const runId = runIdOf({ ...instance, runNumber });
    if (ends) this.#books.released(runId, this.#scheduler.now);
    await this.#statuses.look(instance.workflowName, instance.instanceId);
    if (command === "terminate") this.#books.terminated.set(runId, this.#scheduler.now);
    if (command === "terminate" || isRestart) await this.#watch.leave(this.family.of(runId));
    if (command === "terminate") await this.#watch.checkTogether(instance);
  }

  /** An instance begins anew because somebody asked for it. */
  #noteNewRun({ workflowName, instanceId }: InstanceRecord): void {
    const key = `${workflowName}/${instanceId}`;
    this.#books.requests.dropPassed(key, this.#scheduler.now);
    this.#books.retryCounts.delete(key);
  }

  async #noteInstance(answer: unknown): Promise<void> {
    const { kind, instance } = answer as {
      readonly kind: string;
      readonly instance?: InstanceRecord;
    };
    if (instance === undefined || (kind !== "applied" && kind !== "created")) return;
    await this.#statuses.look(instance.workflowName, instance.instanceId);
  }

  /** Whoever else did so at once: one is created or restarted, if it was as demanded, and the others change nothing. */
  async #noteRestart(call: StoreCall, { kind, instance }: RestartOrCreateResult): Promise<void> {
    const { ifStatus } = call.parameters[0] as { readonly ifStatus: readonly string[] | null };
    const { workflowName, instanceId, runNumber } = instance;
    const key = `${workflowName}/${instanceId}`;
    const before = this.#statuses.of(key);
    const isDemanded = before !== undefined && ifStatus?.includes(before) !== false;
    const expected = before === undefined ? "created" : isDemanded ? "restarted" : "unchanged";
    // A call that came before is answered as it was.
    if (
      !call.isStray &&
      this.#subject.isQuick &&
      !this.#restarts.has(call.parameters[0] as object) &&
      kind !== expected
    )
      this.#books.report("statuses", `${key} was ${before}, and restartOrCreate says ${kind}`);
    this.#restarts.add(call.parameters[0] as object);
    if (kind === "restarted" && this.#statuses.runOf(key) !== runNumber) {
      const runId = runIdOf({ ...instance, runNumber: runNumber - 1 });
      this.#books.touched(runId);
      this.#books.released(runId, this.#scheduler.now);
      this.#books.newKeys(runIdOf(instance));
      this.#noteNewRun(instance);
      await this.#watch.leave(this.family.of(runId));
    }
    await this.#statuses.look(workflowName, instanceId);
  }

  #take({ caller, isStray }: StoreCall, run: ClaimedRun, leaseMs: number): void {
    const { runner, life } = caller;
    const at = this.#scheduler.now;
    const { before } = this.#books.claimed(run, { leaseMs, runner, life, at });
    if (before !== undefined && !isStray) this.#checkTakeover?.(before);
  }

  /** Asked about each lease that has died. */
  #checkTakeover: ((lease: LeaseRecord) => void) | null = null;

  onTakeover(check: (lease: LeaseRecord) => void): void {
    this.#checkTakeover = check;
  }

  async #snapshot({ run }: Commit): Promise<string> {
    const { store } = this.#subject;
    const instance = await store.loadInstance(run.workflowName, run.instanceId);
    const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
    const history = await store.loadHistory({ ...run, ...page });
    // Rows that a loop has removed may come back: whoever reads them knows that they are of no use.
    const trimmed = this.#books.trimmed.get(runIdOf(run));
    const steps = history.steps.items.filter(({ stepKey }) => trimmed?.has(stepKey) !== true);
    const withoutInstant = (name: string, value: unknown): unknown =>
      name === "updatedAt" ? 0 : value;
    return JSON.stringify([instance, steps, history.events.items], withoutInstant, 1);
  }
}

/** What has yet to be handed on is claimed in the place of a run. */
const isOfTopic = ({ run }: Pick<Commit, "run">): boolean => run.workflowName === "";

/** Whether a commit writes to its parent, or to children. */
const changesOthers = ({ changes }: Commit): boolean =>
  changes.some(({ kind }) => kind === "parentTold" || kind === "childReleased");
