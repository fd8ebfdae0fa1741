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
  UpdateResult,
} from "./engine-types.ts";
import { CommitJudge } from "./commit-judge.ts";
import { CommandWatch } from "./command-watch.ts";
import { DeadlineWatch } from "./deadline-watch.ts";
import { Family } from "./family.ts";
import { FamilyWatch } from "./family-watch.ts";
import type { StoreCall } from "./network.ts";
import { firstRunOf } from "./first-run.ts";
import { Streams } from "./streams.ts";
import { Topics } from "./topics.ts";
import { Reopenings } from "./reopenings.ts";
import { Statuses } from "./statuses.ts";
import type { Subject } from "./subject.ts";

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
  readonly #judge: CommitJudge;
  readonly #statuses: Statuses;
  readonly #deadlines: DeadlineWatch;
  readonly family: Family;
  readonly #watch: FamilyWatch;
  readonly #reopenings: Reopenings;
  readonly #commands: CommandWatch;

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
    const watched = { subject, books, scheduler };
    this.#statuses = new Statuses(subject, books);
    this.#deadlines = new DeadlineWatch({ ...watched, statuses: this.#statuses });
    this.#judge = new CommitJudge({ ...watched, deadlines: this.#deadlines });
    this.family = new Family(books);
    this.#scheduler = scheduler;
    this.#reopenings = new Reopenings({
      ...watched,
      brought: (runId, steps) =>
        this.#watch.leave(this.family.of(runId).filter(({ stepKey }) => !steps.has(stepKey))),
    });
    this.#watch = new FamilyWatch(this.family, {
      ...watched,
      statuses: this.#statuses,
      claimed: (call, child, { token, leaseMs }) =>
        this.#take(call, firstRunOf(child, token), leaseMs),
    });
    const { family } = this;
    const parts = { ...watched, family, statuses: this.#statuses };
    this.#commands = new CommandWatch({ ...parts, families: this.#watch });
  }

  /** Instances that exist, as `workflow/id`. */
  get instances(): readonly string[] {
    return this.#statuses.keys;
  }

  /** Gives a commit its number as its runner sends it for the first time. */
  noteCommit(commit: Commit): void {
    if (!this.#judge.number(commit)) return;
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
    const before = await Promise.all(
      commits.map((commit) => this.#judge.snapshotIfOld(commit, commits)),
    );
    const results = await this.#subject.store.commit(commits);
    const applied: Commit[] = [];
    for (const [index, commit] of commits.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if (isOfTopic(commit)) continue;
      const isAnswerAlone = this.#judge.isOld(commit) && commit.outcome.kind !== "continue";
      const isFirst = !this.#judge.isApplied(commit);
      await this.#judge.judge(commit, result, before[index] ?? null);
      if (isFirst && this.#judge.isApplied(commit)) applied.push(commit);
      await this.#statuses.look(commit.run.workflowName, commit.run.instanceId);
      if (result.kind === "committed" && !isAnswerAlone)
        await this.#watch.noteCommit(call, commit, result);
    }
    this.topics.committed(applied, this.#scheduler.now);
    this.streams.committed(applied, this.#scheduler.now);
    return results;
  }

  async #note(call: StoreCall, answer: unknown): Promise<void> {
    if (call.verb === "claim") await this.#noteClaim(call, answer as ClaimResult);
    else if (call.verb === "create")
      await this.#noteCreate(call, answer as readonly CreateResult[]);
    else if (call.verb === "sendEvent") await this.#noteEvent(call, answer as SendEventResult);
    else if (call.verb === "control") await this.#commands.note(call, answer as ControlResult);
    else if (call.verb === "rewind" || call.verb === "fork") await this.#noteInstance(answer);
    else if (call.verb === "update") this.#deadlines.noteUpdate(call, answer as UpdateResult);
    else if (call.verb === "restartOrCreate")
      await this.#commands.noteRestart(call, answer as RestartOrCreateResult);
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

  async #noteInstance(answer: unknown): Promise<void> {
    const { kind, instance } = answer as {
      readonly kind: string;
      readonly instance?: InstanceRecord;
    };
    if (instance === undefined || (kind !== "applied" && kind !== "created")) return;
    await this.#statuses.look(instance.workflowName, instance.instanceId);
  }

  #take({ caller, isStray }: StoreCall, run: ClaimedRun, leaseMs: number): void {
    const { runner, life } = caller;
    const takenAt = this.#scheduler.now;
    const { before } = this.#books.claimed(run, { leaseMs, runner, life, takenAt });
    if (before !== undefined && !isStray) this.#checkTakeover?.(before);
  }

  /** Asked about each lease that has died. */
  #checkTakeover: ((lease: LeaseRecord) => void) | null = null;

  onTakeover(check: (lease: LeaseRecord) => void): void {
    this.#checkTakeover = check;
  }
}

/** What has yet to be handed on is claimed in the place of a run. */
const isOfTopic = ({ run }: Pick<Commit, "run">): boolean => run.workflowName === "";
