/** Runs a program to its end on the memory store, while its runner is killed again and again. */
import { createEngine, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import type {
  InstanceRecord,
  StepRecord,
} from "../../../packages/engine/src/core/model/records.ts";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { createFakeTime } from "../../../packages/engine/src/testing/fake-time.ts";
import {
  createFaultStore,
  type FaultStore,
  type StoreCall,
} from "../../../packages/engine/src/testing/fault-store.ts";
import { createProgramWorkflows, eventsOf, type Program, type World } from "./program.ts";

/** How a runner dies: around a call of the store, or inside a body. `none`: not here. */
export type Death = "none" | "before" | "after" | "hang";

export interface Chaos {
  /** Asked before each call of the store. `before` and `after`: the call fails too, if the runner lives on. */
  readonly atCall: (call: StoreCall) => Death;
  /** Asked as each body starts. @param count bodies started so far, this one included */
  readonly inBody: (count: number) => boolean;
  /** Whether a failing call takes its runner with it; else the runner has to live with it. */
  readonly isDeadly: boolean;
}

export const CALM: Chaos = { atCall: () => "none", inBody: () => false, isDeadly: true };

export interface Start {
  readonly stepKey: string;
  readonly attempt: number;
  /** The store had already kept the step's result. */
  readonly isRepeat: boolean;
}

export interface Report {
  readonly status: string;
  readonly output: unknown;
  readonly starts: readonly Start[];
  /** Of the run and of its children. */
  readonly steps: readonly StepRecord[];
  /** Those of one run in one list. */
  readonly runs: readonly (readonly StepRecord[])[];
  /** Instances that steps have started. */
  readonly children: readonly InstanceRecord[];
  /** Calls of the store, of all runners. */
  readonly calls: number;
  readonly deaths: number;
  /** A task is left behind, and with it perhaps a lease. */
  readonly hasTask: boolean;
}

const LEASE_MS = 30_000;
const ROUNDS_MAX = 400;
const RUN = { workflowName: "program", instanceId: "x", runNumber: 1 } as const;

interface Runner {
  readonly engine: Engine;
  readonly died: Promise<"died">;
  readonly store: FaultStore;
  readonly die: () => void;
}

export async function simulate(program: Program, chaos: Chaos): Promise<Report> {
  const simulation = new Simulation(program, chaos);
  await simulation.run();
  return simulation.report();
}

class Simulation {
  readonly #program: Program;
  readonly #chaos: Chaos;
  readonly #time = createFakeTime();
  /** Steps whose results the store has kept. */
  readonly #kept = new Set<string>();
  readonly #base = rememberKept(createMemoryStore({ now: this.#time.now }), this.#kept);
  readonly #starts: Start[] = [];
  #calls = 0;
  #deaths = 0;
  #runner: Runner;

  constructor(program: Program, chaos: Chaos) {
    this.#program = program;
    this.#chaos = chaos;
    this.#runner = this.#startRunner();
  }

  async run(): Promise<void> {
    const { workflowName, instanceId: id } = RUN;
    await this.#survive((engine) =>
      engine.createInstance(workflowName, { id, onExisting: "return" }),
    );
    for (const event of eventsOf(this.#program))
      await this.#survive((engine) => engine.sendEvent(workflowName, id, event));
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { nextWakeInMs } = await this.#survive((engine) => engine.tick());
      if (nextWakeInMs === null) return;
      await this.#time.advance(Math.max(1, nextWakeInMs));
    }
  }

  async report(): Promise<Report> {
    const { workflowName } = RUN;
    const instance = await this.#base.loadInstance(workflowName, RUN.instanceId);
    const list = { workflowName: "part", status: null, pageSize: 100, after: null } as const;
    const children = (await this.#base.listInstances(list)).items;
    const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
    const runs = await Promise.all(
      [RUN, ...children].map(async (run) => {
        const history = await this.#base.loadHistory({ ...run, ...page });
        return history.steps.items;
      }),
    );
    const claim = { token: "oracle", limit: 1, leaseMs: 1, workflowNames: [workflowName, "part"] };
    const { runs: due, nextWakeAt } = await this.#base.claim(claim);
    return {
      status: instance?.status ?? "missing",
      output: JSON.parse(instance?.output ?? "null"),
      starts: this.#starts,
      steps: runs.flat(),
      runs,
      children,
      calls: this.#calls,
      deaths: this.#deaths,
      hasTask: due.length > 0 || nextWakeAt !== null,
    };
  }

  #startRunner(): Runner {
    let die: () => void = () => {};
    let isDead = false;
    const died = new Promise<"died">((resolve) => {
      die = () => {
        isDead = true;
        resolve("died");
      };
    });
    const { host } = this.#time;
    // The timers of a process end with it.
    const setTimer: typeof host.setTimer = (delayMs, callback) =>
      host.setTimer(delayMs, () => {
        if (!isDead) callback();
      });
    const store = createFaultStore(this.#base, ({ verb }) => {
      this.#calls += 1;
      const death = this.#chaos.atCall({ verb, call: this.#calls });
      if (death !== "none" && (this.#chaos.isDeadly || death === "hang")) queueMicrotask(die);
      return death;
    });
    const world = { effect: this.#effectOf(() => die()) };
    const engine = createEngine({
      workflows: createProgramWorkflows(this.#program, world),
      store,
      // A macrotask that does not wait a millisecond, as real timers do.
      host: { ...host, setTimer, afterTurn: (callback) => void setImmediate(callback) },
      logger: { log: () => undefined },
      leaseMs: LEASE_MS,
    });
    return { engine, died, store, die };
  }

  #effectOf(die: () => void): World["effect"] {
    return async (stepKey, attempt, fails) => {
      const failures = this.#starts.filter((start) => start.stepKey === stepKey).length;
      this.#starts.push({ stepKey, attempt, isRepeat: this.#kept.has(stepKey) });
      if (!this.#chaos.inBody(this.#starts.length)) return failures < fails;
      die();
      return new Promise<boolean>(() => {});
    };
  }

  /** Does something with a runner, and again with the next one as long as runners die of it. */
  async #survive<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    for (;;) {
      const { engine, died, store } = this.#runner;
      const attempt = work(engine).then(
        (value) => ({ value }),
        () => "failed" as const,
      );
      const end = await Promise.race([attempt, died, this.#passTimeUntil(attempt)]);
      if (typeof end === "object") return end.value;
      if (end === "failed" && !this.#chaos.isDeadly) continue;
      this.#deaths += 1;
      store.kill();
      this.#runner = this.#startRunner();
      await this.#time.advance(LEASE_MS + 1);
    }
  }

  /** A runner that waits for its own timers (a commit that is tried again) gets time, in small steps. */
  async #passTimeUntil(attempt: Promise<unknown>): Promise<never> {
    const progress = { isOver: false };
    void attempt.then(() => (progress.isOver = true));
    for (let turns = 0; turns < 10_000 && !progress.isOver; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turns > 100 && !progress.isOver) await this.#time.advance(50);
    }
    return new Promise(() => {});
  }
}

/** Notes which steps the store has kept as completed. */
function rememberKept(store: Store, kept: Set<string>): Store {
  return {
    ...store,
    async commit(commits) {
      const results = await store.commit(commits);
      for (const [index, { changes }] of commits.entries()) {
        if (results[index]?.kind !== "committed") continue;
        for (const change of changes)
          if (change.kind === "step" && change.step.status === "completed")
            kept.add(change.step.stepKey);
      }
      return results;
    },
  };
}
