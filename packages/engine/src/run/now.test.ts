/** The value of `step.now` at each place; `databases/now.test.ts` shows that it is the same after crashes. */
import { describe, expect, it } from "vitest";
import { createHistory } from "../core/history/history.ts";
import { defineWorkflow, Loop, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createDeploys } from "../testing/deploys.ts";
import { createFakeTime, FAKE_START } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { createRun } from "../testing/one-run.ts";
import { KnownRun } from "./known-run.ts";
import { RunClock } from "./run-clock.ts";

const HOUR = 3_600_000;
const sinceStart = (step: Pick<WorkflowStep, "now">): number => step.now().getTime() - FAKE_START;

describe("S6-018 step.now", () => {
  it("S6-018 begins when the run does, stands still between two outcomes, and is at the end of each sleep", async () => {
    const run = await createRun(async (step) => {
      const seen = [sinceStart(step)];
      await step.do("work", () => run.harness.clock.advance(7));
      seen.push(sinceStart(step), sinceStart(step));
      await step.sleep("nap", "1 hour");
      seen.push(sinceStart(step));
      const until = step.now().getTime() + 90_000;
      await step.sleepUntil("until", until);
      seen.push(step.now().getTime() - until);
      return seen;
    });
    expect(await run.output()).toEqual([0, 7, 7, HOUR + 7, 0]);
  });

  it("S6-018 gives each call a Date of its own", async () => {
    const run = await createRun((step) => {
      const first = step.now();
      first.setFullYear(1970);
      return [first instanceof Date, sinceStart(step)];
    });
    expect(await run.output()).toEqual([true, 0]);
  });

  it("S6-018 is no earlier than the event that a wait gives, and moves with what is caught", async () => {
    const run = await createRun(async (step) => {
      const { timestamp } = await step.waitForEvent("go", { type: "go" });
      const seen = [step.now() >= timestamp, sinceStart(step)];
      await step
        .do("fails", { retries: { limit: 0 } }, async () => {
          await run.harness.clock.advance(5);
          throw new Error("no");
        })
        .catch(() => null);
      seen.push(sinceStart(step));
      await step.tryWaitForEvent("never", { type: "never", timeout: "1 hour" });
      seen.push(sinceStart(step));
      return seen;
    });
    await run.harness.runUntilIdle();
    await run.harness.clock.advance(100);
    await run.send("go");
    expect(await run.output()).toEqual([true, 100, 105, 105 + HOUR]);
  });

  it("S6-018 counts the time to a delayed start, and a restart begins anew", async () => {
    const seen: number[] = [];
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      seen.push(sinceStart(step));
      await step.sleep("nap", "1 hour");
      seen.push(sinceStart(step));
    });
    const harness = createHarness({ workflows: { W } });
    await harness.workflows.W.create({ id: "x", delay: "2 hours" });
    await harness.runThroughTime();
    expect(seen).toEqual([2 * HOUR, 2 * HOUR, 3 * HOUR]);
    await harness.clock.advance(HOUR);
    await harness.engine.control("w", "x", "restart");
    await harness.runThroughTime();
    expect(seen.slice(3)).toEqual([4 * HOUR, 4 * HOUR, 5 * HOUR]);
  });

  it("S6-018 a retry is told of what there was when it was, and goes on later", async () => {
    const executions: number[][] = [];
    let isBroken = true;
    const W = defineWorkflow({ name: "w", retries: { limit: 0 } }, async (_event, step) => {
      const seen: number[] = [];
      executions.push(seen);
      seen.push(sinceStart(step));
      await step.do("first", () => harness.clock.advance(7));
      seen.push(sinceStart(step));
      await step.do("second", () => {
        if (isBroken) throw new Error("no");
      });
      seen.push(sinceStart(step));
    });
    const harness = createHarness({ workflows: { W } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    await harness.clock.advance(HOUR);
    isBroken = false;
    await harness.engine.control("w", "x", "retry");
    await harness.runThroughTime();
    expect(executions).toEqual([
      [0, 7],
      [0, 7, HOUR + 7],
    ]);
  });

  it("S6-018 a run that goes on under other code is told the same of what it had done", async () => {
    const deploy = createDeploys();
    const seen: number[][] = [];
    const before = deploy(async (step) => {
      await step.do("a", () => before.clock.advance(3));
      seen.push([sinceStart(step)]);
      await step.sleep("nap", "1 hour");
    });
    await before.workflows.W.create({ id: "x" });
    await before.runUntilIdle();
    const after = deploy(async (step) => {
      await step.do("a", () => null);
      const told = sinceStart(step);
      if (step.version("more", 2) > 1) await step.do("b", () => null);
      await step.sleep("nap", "1 hour");
      seen.push([told, sinceStart(step)]);
    });
    await after.runThroughTime();
    expect(seen).toEqual([[3], [3, HOUR + 3]]);
  });

  it("S6-018 costs no row and no trip, as random and uuid cost none", async () => {
    const play = async (isAsked: boolean): Promise<unknown> => {
      const time = createFakeTime();
      const store = createFaultStore(createMemoryStore({ now: time.now }));
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        const ask = (own: WorkflowStep): void => {
          if (isAsked)
            for (let call = 0; call < 100; call += 1) void [own.now(), own.random(), own.uuid()];
        };
        ask(step);
        await step.do("a", () => null);
        ask(step);
        await step.join("j", { left: (own) => ask(own) });
        await step.sleep("z", "1 hour");
        ask(step);
      });
      const harness = createHarness({ workflows: { W }, store: { store, clock: time } });
      await harness.workflows.W.create({ id: "x" });
      await harness.runThroughTime();
      const { steps } = await harness.history("w", "x");
      return [store.calls, steps.map(({ stepKey }) => stepKey)];
    };
    expect(await play(true)).toEqual(await play(false));
  });
});

describe("S6-018 now, random and uuid in scopes", () => {
  it.each(["now", "random", "uuid"] as const)(
    "S6-018 step.%s of a branch that has ended is refused with SCOPE_CLOSED",
    async (name) => {
      const run = await createRun(async (step) => {
        let late: WorkflowStep | null = null;
        await step.join("j", { a: (own) => void (late = own) });
        try {
          return String((late as WorkflowStep | null)?.[name]());
        } catch (error) {
          const { code, message } = error as { code: string; message: string };
          return [code, message];
        }
      });
      expect(await run.output()).toEqual([
        "SCOPE_CLOSED",
        `step "${name}" was called in "j/a", which has ended; await every step in it`,
      ]);
    },
  );

  it("S6-018 a loop that goes on tells the time that its iteration began with, in what is nested too", async () => {
    const begun: Set<number>[] = [];
    const run = await createRun(async (step) => {
      await step.loop("outer", {
        commitEvery: 1,
        keep: 0,
        run: async (outer, _state, iteration) => {
          const times = (begun[iteration] ??= new Set());
          times.add(sinceStart(outer));
          await outer.join("j", { a: (own) => times.add(sinceStart(own)) });
          await outer.try("t", (own) =>
            own.loop("inner", {
              commitEvery: 1,
              keep: 0,
              run: async (inner, _none, count) => {
                if (count === 0) times.add(sinceStart(inner));
                else expect(sinceStart(inner)).toBe((iteration * 3 + count) * 60_000);
                await inner.sleep("z", "1 minute");
                return count < 2 ? Loop.continue() : Loop.break();
              },
            }),
          );
          return iteration < 3 ? Loop.continue() : Loop.break();
        },
      });
    });
    await run.output();
    expect(begun).toEqual([0, 180_000, 360_000, 540_000].map((at) => new Set([at])));
  });
});

describe("S6-018 the clock of a run", () => {
  const after = (updatedAt: readonly number[], now: () => number): RunClock => {
    const steps = updatedAt.map((at, index) => ({ stepKey: `s${index}`, updatedAt: at }));
    return new RunClock({ startedAt: 10 }, createHistory(steps as never, []), now);
  };

  it("S6-018 never goes back, though the database's clock does, and has whole milliseconds", () => {
    let now = 100.7;
    const clock = after([20, 60], () => now);
    expect(clock.settle(0)).toBe(100);
    now = 50;
    expect([clock.settle(0), clock.settle(120), clock.settle(0)]).toEqual([100, 120, 120]);
    clock.tell(60);
    clock.tell(20);
    expect([clock.nowAt({ beganAt: 0 }), clock.nowAt({ beganAt: 70 })]).toEqual([60, 70]);
    expect(after([20, 60], () => 5).settle(0)).toBe(60);
    expect(after([], () => 5).nowAt({ beganAt: 0 })).toBe(10);
  });

  it("S6-018 does not go back where the rows that were told are gone: a loop's position says how far it had come", () => {
    const clock = after([20], () => 5);
    clock.notBefore(70);
    expect(clock.settle(0)).toBe(70);
    clock.notBefore(30);
    expect(clock.settle(0)).toBe(70);
  });

  it("S6-018 counts the time that a run waited for a slot", () => {
    const { host, now } = createFakeTime();
    const run = { settled: [], open: [], events: [], hasMoreEvents: false, startedAt: 0 };
    const options = { now: 1000, observedAtMs: now() - 250 };
    const known = new KnownRun(
      host,
      run as unknown as ConstructorParameters<typeof KnownRun>[1],
      options,
    );
    expect(known.clock.settle(0)).toBe(1250);
  });
});
