/** Plays one scenario from its first call to the last instance's end. */
import { createMemoryStore } from "@escapement/engine/store/memory";
import { loadLateCode } from "./load-late-code.ts";
import { Random } from "./random.ts";
import { readRuns, readStreams, type Report } from "./report.ts";
import type { Action, RunnerPlan, Scenario } from "./scenario.ts";
import { Scheduler, START_AT } from "./scheduler.ts";
import { withArchive } from "./world/archive.ts";
import { Bench } from "./world/bench.ts";
import { Books } from "./world/books.ts";
import type { LeaseRecord } from "./world/facts.ts";
import { Callers } from "./world/callers.ts";
import { Callbacks } from "./world/callbacks.ts";
import { noteDelivery } from "./world/deliveries.ts";
import type { Commit } from "./world/engine-types.ts";
import { Network, type StoreCall } from "./world/network.ts";
import { Outside } from "./world/outside.ts";
import { Process } from "./world/process.ts";
import type { Subject } from "./world/subject.ts";
import { World } from "./world/world.ts";

/** How long after the last fault instances may take to end. */
const LIMIT_MS = 12 * 3_600_000;
/** How long to look for stragglers once all have ended. */
const AFTERMATH_MS = 120_000;
const LOOK_MS = 2000;
/** Some eight times as many as the longest simulation has made. A run that never ends, and grows, makes more. */
const CALLS_MAX = 60_000;
/** So much is wrong that nothing more is to be learnt. */
const VIOLATIONS_MAX = 50;

/** @param open opens the store under test. @default the memory store */
export async function simulate(
  scenario: Scenario,
  open: (scheduler: Scheduler) => Promise<Subject> | Subject = openMemory,
): Promise<Report> {
  await loadLateCode();
  const scheduler = new Scheduler();
  const subject = await open(scheduler);
  return new Simulation(scenario, scheduler, subject).run();
}

export const openMemory = (scheduler: Scheduler): Subject => ({
  store: createMemoryStore({ now: () => scheduler.now }),
  isQuick: true,
});

class Simulation {
  readonly #scenario: Scenario;
  readonly #scheduler: Scheduler;
  readonly #subject: Subject;
  readonly #random: Random;
  readonly #books = new Books();
  readonly #world: World;
  readonly #bench: Bench;
  readonly #callbacks: Callbacks;
  readonly #callers: Callers;
  readonly #network: Network;
  readonly #outside: Outside;
  readonly #processes: Process[] = [];
  readonly #versions: number[];
  readonly #lives: number[];
  readonly #calmAt: number;
  readonly #heldMet = new Set<string>();
  #isCalm = false;

  constructor(scenario: Scenario, scheduler: Scheduler, subject: Subject) {
    this.#scenario = scenario;
    this.#scheduler = scheduler;
    this.#subject = subject = this.#withArchive(scenario, subject);
    this.#random = new Random(scenario.seed).fork("world");
    this.#calmAt = START_AT + scenario.calmAt;
    this.#versions = scenario.runners.map(() => 0);
    this.#lives = scenario.runners.map(() => 0);
    this.#callbacks = new Callbacks(scheduler, (act) => this.#outside.insist(act, 8));
    this.#world = new World(scheduler, this.#books, (mailed) => this.#callbacks.useLater(mailed));
    this.#bench = new Bench(subject, {
      books: this.#books,
      scheduler,
      eventCap: scenario.eventCap,
      topicChunk: scenario.topicChunk ?? Infinity,
    });
    this.#bench.onTakeover((lease) => this.#checkTakeover(lease));
    this.#network = new Network({
      scheduler,
      random: this.#random.fork("network"),
      faults: scenario.faults,
      calmAt: this.#calmAt,
      apply: (call) => this.#bench.apply(call),
      delivered: (call, answer) => noteDelivery(this.#books, call, { answer, at: scheduler.now }),
      asked: (call) => this.#noteAsked(call),
    });
    this.#outside = new Outside(scheduler, this.#random.fork("outside"), () => this.#processes);
    this.#callers = new Callers({
      scenario,
      scheduler,
      books: this.#books,
      family: this.#bench.family,
      outside: this.#outside,
    });
  }

  /** Instances that any step creates, and not `step.invoke`, may be created once more. */
  #withArchive({ retentionMs, workflows }: Scenario, subject: Subject): Subject {
    if (retentionMs === undefined) return subject;
    const workflowNames = workflows.map(({ name }) => name).filter((name) => name !== "child");
    const [books, scheduler] = [this.#books, this.#scheduler];
    return withArchive(subject, { books, scheduler, retentionMs, workflowNames });
  }

  async run(): Promise<Report> {
    const scheduler = this.#scheduler;
    for (const runner of this.#scenario.runners.keys()) this.#startProcess(runner);
    for (const plan of this.#scenario.instances)
      scheduler.after(plan.createAt, null, () => this.#callers.create(plan));
    for (const plan of this.#scenario.readers ?? [])
      scheduler.after(1, null, () => this.#callers.read(plan));
    for (const action of this.#scenario.actions)
      scheduler.after(action.at, null, () => this.#act(action));
    scheduler.after(this.#scenario.calmAt, null, () => this.#calm());
    let isOver = false;
    const look = async (): Promise<void> => {
      isOver = this.#isCalm && (await this.#areAllOver());
      scheduler.after(LOOK_MS, null, look);
    };
    scheduler.after(this.#scenario.calmAt + 1, null, look);
    let endedAt = scheduler.now;
    // What somebody asked for before the calm may come after it, and begin an instance anew that had ended.
    do {
      await scheduler.runUntil(() => isOver || this.#isHopeless(), this.#calmAt + LIMIT_MS);
      endedAt = scheduler.now;
      if (!isOver) break;
      await scheduler.runUntil(() => false, scheduler.now + AFTERMATH_MS);
      isOver = await this.#areAllOver();
    } while (!isOver);
    for (const process of this.#processes) process.isAlive = false;
    return this.#report(isOver, endedAt);
  }

  #isHopeless(): boolean {
    const { callCount } = this.#network;
    if (callCount <= CALLS_MAX) return this.#books.violations.length >= VIOLATIONS_MAX;
    this.#books.report("spin", `it goes on after ${callCount} calls of the store`);
    return true;
  }

  #startProcess(runner: number): void {
    const { scenario, scheduler } = { scenario: this.#scenario, scheduler: this.#scheduler };
    const life = (this.#lives[runner] ?? 0) + 1;
    this.#lives[runner] = life;
    const process = new Process({
      plan: scenario.runners[runner] as RunnerPlan,
      runner,
      life,
      version: this.#versions[runner] ?? 0,
      scheduler,
      random: this.#random.fork(`runner ${runner} ${life}`),
      network: this.#network,
      store: this.#subject.store,
      leaseMs: scenario.leaseMs,
      eventCap: scenario.eventCap,
      streamEntries: scenario.streamEntries,
      topics: scenario.topics ?? [],
      wakes: scenario.wakes,
      workflows: (own) => this.#world.definitionsFor(scenario, own),
      onHeld: (end) => this.#heldMet.add(end),
      onDeath: () => this.#startAgain(runner),
    });
    this.#processes[runner] = process;
    process.start();
  }

  #startAgain(runner: number, downMs = 500): void {
    this.#scheduler.after(downMs, null, () => {
      if (this.#processes[runner]?.isAlive !== true) this.#startProcess(runner);
    });
  }

  #act(action: Action): void {
    if ("instance" in action) return this.#callers.act(action);
    if (action.kind === "emit") return this.#callers.emit(action);
    const process = this.#processes[action.runner];
    if (process === undefined) return;
    switch (action.kind) {
      case "crash":
        return process.die();
      case "stop":
        return void process.stop(action.downMs);
      case "freeze":
        process.frozenUntil = this.#scheduler.now + action.ms;
        process.troubledAt = process.frozenUntil;
        return;
      case "clock":
        return process.jump(action.ms);
      case "deploy":
        this.#versions[action.runner] = 1;
        return process.die();
    }
  }

  /** Nothing fails from here on: every runner is up, has the last code, and nothing stays paused. */
  #calm(): Promise<void> {
    this.#isCalm = true;
    for (const [runner, process] of this.#processes.entries()) {
      process.frozenUntil = 0;
      if (this.#versions[runner] === 0 && this.#hasTwoVersions) {
        this.#versions[runner] = 1;
        process.die();
      }
    }
    return this.#resumePaused();
  }

  get #hasTwoVersions(): boolean {
    return this.#scenario.workflows.some(({ versions }) => versions.length > 1);
  }

  /** Looks at the store itself, so the scheduler waits for it: time stands still while a database answers. */
  async #resumePaused(): Promise<void> {
    this.#scheduler.after(20_000, null, () => this.#resumePaused());
    for (const key of this.#bench.instances) {
      const [workflow = "", id = ""] = key.split("/");
      const instance = await this.#subject.store.loadInstance(workflow, id);
      if (instance?.status === "paused")
        void this.#outside.insist(({ engine }) => engine.control(workflow, id, "resume"), 5);
    }
  }

  async #areAllOver(): Promise<boolean> {
    const { store } = this.#subject;
    if (this.#bench.instances.length < this.#scenario.instances.length) return false;
    for (const key of this.#bench.instances) {
      const [workflow = "", id = ""] = key.split("/");
      const instance = await store.loadInstance(workflow, id);
      if (!["complete", "errored", "terminated"].includes(instance?.status ?? "none")) return false;
    }
    return true;
  }

  #noteAsked(call: StoreCall): void {
    if (call.verb !== "commit") return;
    for (const commit of call.parameters[0] as readonly Commit[]) this.#bench.noteCommit(commit);
  }

  /** A runner that lives, and that can reach the store, keeps its leases. */
  #checkTakeover(lease: LeaseRecord): void {
    const process = this.#processes[lease.runner];
    if (process === undefined || process.life !== lease.life || !process.isAlive) return;
    if (!lease.isDelivered || lease.isRevoked || process.troubledAt + lease.leaseMs > lease.takenAt)
      return;
    const heldMs = this.#scheduler.now - lease.takenAt;
    this.#books.report(
      "leases",
      `${lease.runId} was taken from runner ${lease.runner}, which lives and was not disturbed, after ${heldMs} ms`,
    );
  }

  async #report(isOver: boolean, endedAt: number): Promise<Report> {
    const { store } = this.#subject;
    const rows = await readRuns(store, this.#bench.instances, (id) => this.#callbacks.usesOf(id));
    // Without a name: messages of topics that have yet to be handed on.
    const workflowNames = ["", ...this.#scenario.workflows.map(({ name }) => name)];
    const look = { token: "report", limit: 0, leaseMs: 1000, workflowNames };
    const { nextWakeAt } = await store.claim(look);
    return {
      scenario: this.#scenario,
      books: this.#books,
      world: this.#world,
      family: this.#bench.family,
      topics: this.#bench.topics,
      streams: this.#bench.streams,
      readers: this.#callers.readers.records,
      kept: await readStreams(store, this.#bench.instances),
      asks: this.#callers.asks.records,
      ...rows,
      isOver,
      hasTask: nextWakeAt !== null,
      callCount: this.#network.callCount,
      faultsMet: this.#network.faultsMet,
      heldMet: this.#heldMet,
      eventCount: this.#scheduler.eventCount,
      endedAt,
    };
  }
}
