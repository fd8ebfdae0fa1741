/** One life of a runner: an engine on a clock of its own, driven by a loop or by ticks. */
import {
  createEngine,
  defineTopic,
  type Engine,
  type Platform,
  type WorkflowDefinition,
} from "@escapement/engine";
import type { Random } from "../random.ts";
import type { RunnerPlan } from "../scenario.ts";
import { type Scheduler, START_AT } from "../scheduler.ts";
import type { HeldRun, Host, Store } from "./engine-types.ts";
import type { Caller, Network } from "./network.ts";

export interface ProcessOptions {
  readonly plan: RunnerPlan;
  readonly runner: number;
  readonly life: number;
  readonly version: number;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly store: Store;
  readonly leaseMs: number;
  readonly eventCap: number;
  /** Absent: as many as the engine says. */
  readonly streamEntries: number | undefined;
  readonly topics: readonly string[];
  readonly wakes: { readonly lost: number; readonly doubled: number };
  readonly workflows: (process: Process) => readonly WorkflowDefinition[];
  /** Told of each run that a call has claimed for a tick: the tick began, or none could. */
  readonly onHeld: (end: "begun" | "lost") => void;
  /** Called once, when it has died. */
  readonly onDeath: (process: Process) => void;
}

const CALLBACKS = {
  signingKeys: ["a-secret-that-all-processes-of-a-simulation-share"],
  url: "https://simulation.example/api",
} as const;

const toLimits = ({
  eventCap: maxUndeliveredEvents,
  streamEntries: maxProgressEntries,
}: Pick<ProcessOptions, "eventCap" | "streamEntries">) => ({
  maxUndeliveredEvents,
  ...(maxProgressEntries === undefined ? {} : { maxProgressEntries }),
});

/** A platform kills an invocation so long after its deadline. */
const GRACE_MS = 2000;

export class Process implements Caller {
  isAlive = true;
  frozenUntil = 0;
  troubledAt = 0;
  readonly runner: number;
  readonly life: number;
  readonly version: number;
  readonly engine: Engine;
  /** How far its clock was set, by jumps. */
  #jumpedMs = 0;
  #idCount = 0;
  #isTicking = false;
  #mustTick = false;
  #cancelTick = (): void => {};
  #tickAt = Infinity;
  readonly #options: ProcessOptions;
  #stopLoop: ((options: { readonly graceMs: number }) => Promise<void>) | null = null;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.runner = options.runner;
    this.life = options.life;
    this.version = options.version;
    const workflows = options.workflows(this);
    this.engine = createEngine({
      workflows: Object.fromEntries(workflows.map((workflow) => [workflow.name, workflow])),
      store: options.network.connect(this, options.store),
      host: this.#host(),
      logger: { log: () => undefined },
      leaseMs: options.leaseMs,
      topics: options.topics.map((name) => defineTopic({ name })),
      limits: toLimits(options),
      concurrency: options.plan.concurrency,
      callbacks: CALLBACKS,
      ...(options.plan.kind === "tick" ? { platform: this.#platform() } : {}),
    });
  }

  start(): void {
    const { plan } = this.#options;
    if (plan.kind === "loop") this.#stopLoop = this.engine.startLoop({ pollMs: plan.pollMs }).stop;
    else this.#every();
  }

  /** Sets its clock. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#options.onDeath(this);
  }

  /** Ends as on SIGTERM. */
  async stop(graceMs: number): Promise<void> {
    await this.#stopLoop?.({ graceMs });
    this.die();
  }

  #host(): Host {
    const { plan, scheduler, random, runner, life } = this.#options;
    const rate = 1 + plan.drift;
    const monotonic = (): number => (scheduler.now - START_AT) * rate;
    return {
      now: () => Math.floor(START_AT + monotonic()) + plan.skewMs + this.#jumpedMs,
      elapsedMs: monotonic,
      setTimer: (delayMs, callback) => scheduler.after(delayMs / rate, this, callback),
      afterTurn: (callback) => scheduler.after(0, this, callback),
      newId: () => {
        this.#idCount += 1;
        return `id${String(scheduler.now - START_AT).padStart(10, "0")}r${runner}l${life}n${String(this.#idCount).padStart(6, "0")}`;
      },
      random: () => random.next(),
    };
  }

  #platform(): Platform {
    const { scheduler, random, wakes, onHeld } = this.#options;
    const wakeIn = (delayMs: number): void => {
      if (random.chance(wakes.lost)) return;
      scheduler.after(delayMs + random.int(1, 50), this, () => this.#tick());
      if (random.chance(wakes.doubled))
        scheduler.after(delayMs + random.int(1, 3000), this, () => this.#tick());
    };
    return {
      defer: () => undefined,
      stays: () => this.#options.plan.stays === true,
      wakeNow: async ({ held }) => {
        if (held === undefined) return wakeIn(0);
        const isLost = random.chance(wakes.lost);
        onHeld(isLost ? "lost" : "begun");
        if (isLost) throw new TypeError("no tick can begin");
        void this.#invoke([held]);
      },
      wakeIn: async (delayMs) => wakeIn(delayMs),
      deadline: () => null,
    };
  }

  /** The net: a tick every so often, whatever wakes it meanwhile. */
  #every(): void {
    void this.#tick();
    const { scheduler, plan } = this.#options;
    scheduler.after(plan.pollMs, this, () => this.#every());
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) {
      this.#mustTick = true;
      return;
    }
    this.#isTicking = true;
    void this.#tickOnce();
  }

  async #tickOnce(): Promise<void> {
    await this.#invoke();
    this.#isTicking = false;
    if (!this.#mustTick) return;
    this.#mustTick = false;
    this.#tickSoon();
  }

  #tickSoon(): void {
    this.#options.scheduler.after(1, this, () => this.#tick());
  }

  /** One invocation: a tick, which may begin with runs that are held, and the next one armed. */
  async #invoke(held?: readonly HeldRun[]): Promise<void> {
    const { plan, scheduler } = this.#options;
    const { deadlineMs } = plan;
    const deadline = deadlineMs === null ? null : this.#hostNow() + deadlineMs;
    let isOver = false;
    if (deadlineMs !== null)
      scheduler.after(deadlineMs + GRACE_MS, this, () => {
        if (!isOver) this.die();
      });
    try {
      const { nextWakeInMs, moreDue } = await this.engine.tick({
        deadline,
        lingerMs: 0,
        ...(held && { held }),
      });
      if (moreDue) this.#tickSoon();
      else if (nextWakeInMs !== null) this.#armTick(scheduler.now + nextWakeInMs);
    } catch {
      this.#armTick(scheduler.now + 1000);
    }
    isOver = true;
  }

  #armTick(at: number): void {
    const { scheduler } = this.#options;
    if (at >= this.#tickAt && this.#tickAt > scheduler.now) return;
    this.#cancelTick();
    this.#tickAt = at;
    this.#cancelTick = scheduler.after(Math.max(1, at - scheduler.now), this, () => this.#tick());
  }

  #hostNow(): number {
    return this.#host().now();
  }
}
