/** Runs a program to its end on the memory store, while its runner is killed again and again. */
import { createEngine, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import type { StepRecord } from "../../../packages/engine/src/core/model/records.ts";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { createFakeTime } from "../../../packages/engine/src/testing/fake-time.ts";
import {
  createFaultStore,
  type StoreCall,
} from "../../../packages/engine/src/testing/fault-store.ts";
import { createProgramWorkflow, eventsOf, type Program } from "./program.ts";

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
  readonly steps: readonly StepRecord[];
  /** Calls of the store, of all runners. */
  readonly calls: number;
  readonly deaths: number;
  /** When a task of the workflow would come due; null: no task is left. */
  readonly nextWakeAt: number | null;
}

const LEASE_MS = 30_000;
const ROUNDS_MAX = 400;
const RUN = { workflowName: "program", instanceId: "x", runNumber: 1 } as const;

export async function simulate(program: Program, chaos: Chaos): Promise<Report> {
  const time = createFakeTime();
  const state = { calls: 0, bodies: 0, deaths: 0 };
  const kept = new Set<string>();
  const starts: Start[] = [];
  const base = rememberKept(createMemoryStore({ now: time.now }), kept);
  let die: () => void = () => {};

  const startRunner = (): {
    readonly engine: Engine;
    readonly died: Promise<"died">;
    kill(): void;
  } => {
    const died = new Promise<"died">((resolve) => {
      die = () => resolve("died");
    });
    const store = createFaultStore(base, ({ verb }) => {
      state.calls += 1;
      const death = chaos.atCall({ verb, call: state.calls });
      if (death !== "none" && (chaos.isDeadly || death === "hang")) queueMicrotask(die);
      return death;
    });
    const workflow = createProgramWorkflow(program, {
      async effect(stepKey, attempt, fails) {
        const failures = starts.filter((start) => start.stepKey === stepKey).length;
        starts.push({ stepKey, attempt, isRepeat: kept.has(stepKey) });
        state.bodies += 1;
        if (chaos.inBody(state.bodies)) {
          die();
          return new Promise<boolean>(() => {});
        }
        return failures < fails;
      },
    });
    const logger = { log: () => undefined };
    const engine = createEngine({
      workflows: { P: workflow },
      store,
      host: time.host,
      logger,
      leaseMs: LEASE_MS,
    });
    return { engine, died, kill: () => store.kill() };
  };

  let runner = startRunner();
  /** Does something with a runner, and again with the next one as long as runners die of it. */
  const survive = async <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
    for (;;) {
      const attempt = work(runner.engine).then(
        (value) => ({ value }),
        () => "failed" as const,
      );
      const end = await Promise.race([attempt, runner.died, passTime(time, attempt)]);
      if (typeof end === "object") return end.value;
      if (end === "died") {
        state.deaths += 1;
        runner.kill();
        runner = startRunner();
        await time.advance(LEASE_MS + 1);
      }
    }
  };
  await survive((engine) => engine.createInstance("program", { id: "x", onExisting: "return" }));
  for (const event of eventsOf(program))
    await survive((engine) => engine.sendEvent("program", "x", event));
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { nextWakeAt } = await survive((engine) => engine.tick());
    if (nextWakeAt === null) break;
    await time.advance(Math.max(1, nextWakeAt - time.now()));
  }
  const instance = await base.loadInstance(RUN.workflowName, RUN.instanceId);
  const history = await base.loadHistory({
    ...RUN,
    pageSize: 100,
    stepsAfter: null,
    eventsAfter: null,
  });
  const rest = await base.claim({
    token: "oracle",
    limit: 1,
    leaseMs: 1,
    workflowNames: ["program"],
  });
  return {
    status: instance?.status ?? "missing",
    output: JSON.parse(instance?.output ?? "null"),
    starts,
    steps: history.steps.items,
    calls: state.calls,
    deaths: state.deaths,
    nextWakeAt: rest.nextWakeAt,
  };
}

/** A runner that waits for its own timers (a commit that is tried again) gets time, in small steps. */
async function passTime(
  time: { advance(ms: number): Promise<void>; readonly host: { turn(): Promise<void> } },
  attempt: Promise<unknown>,
): Promise<never> {
  let isOver = false;
  void attempt.then(() => (isOver = true));
  for (let turns = 0; turns < 10_000 && !isOver; turns += 1) {
    await time.host.turn();
    if (turns > 20 && !isOver) await time.advance(50);
  }
  return new Promise(() => {});
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
