/** Any program that is rewound to any of its steps ends in the same way, and runs no body again that had ended before that step. */
import { expect, it } from "vitest";
import type { WorkflowStep } from "../authoring/step.ts";
import { WorkflowError } from "../core/errors.ts";
import { enclosingKeys } from "../core/enclosing-scopes.ts";
import { loopsOf } from "../core/step-key.ts";
import { iterationOf } from "../core/iteration-key.ts";
import { defineWorkflow, Loop } from "../index.ts";
import { openMemoryStore } from "../stores/memory/open.ts";
import { emptyState } from "../stores/memory/state.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { createRandom, type Random } from "../testing/random.ts";

/** A part of a program; it returns the results of its steps. */
type Part = (step: WorkflowStep, ran: (stepKey: string) => void) => Promise<unknown>;

/** An `attempt` number other than 1 would show a lost attempt that did not happen. */
const body =
  (name: string): Part =>
  (step, ran) =>
    step.do(name, ({ stepKey, attempt }) => {
      ran(stepKey);
      return `${stepKey}:${attempt}`;
    });

const inTurn =
  (parts: readonly Part[]): Part =>
  async (step, ran) => {
    const results: unknown[] = [];
    for (const part of parts) results.push(await part(step, ran));
    return results;
  };

function randomLoop(random: Random, name: string, run: Part): Part {
  const policy = { commitEvery: random.integer(1, 3), keep: random.integer(0, 2) };
  const iterations = random.integer(2, 6);
  return (step, ran) =>
    step.loop(name, {
      state: [] as readonly unknown[],
      ...policy,
      run: async (own, state, iteration) => {
        const all = [...state, await run(own, ran)];
        return iteration + 1 === iterations ? Loop.break(all) : Loop.continue(all);
      },
    });
}

function randomPart(random: Random, name: string, depth: number): Part {
  const inner = (part: string): Part => randomPart(random, `${name}${part}`, depth + 1);
  const kinds = ["do", "do", "sleep", "wait", "join", "race", "map", "loop", "turn"] as const;
  const kind = depth > 2 ? random.pick(kinds.slice(0, 4)) : random.pick(kinds);
  if (kind === "sleep") return (step) => step.sleep(name, 1000 * random.integer(1, 9));
  if (kind === "wait")
    return async (step) => (await step.waitForEvent(name, { type: `t${depth}` })).payload;
  if (kind === "turn") return inTurn([inner("a"), inner("b"), inner("c")]);
  if (kind === "join") {
    const [a, b] = [inTurn([body("x"), inner("a")]), inTurn([body("y"), body("z")])];
    return (step, ran) =>
      step.join(name, {
        a: (own) => a(own, ran),
        b: (own) => b(own, ran),
      });
  }
  if (kind === "race")
    return (step, ran) =>
      step.race(name, {
        fast: (own) => body("x")(own, ran),
        slow: async (own) => own.sleep("for long", "30 days"),
      });
  if (kind === "map") {
    const part = inner("m");
    return (step, ran) => step.map(name, [1, 2, 3], (own) => part(own, ran), { concurrency: 2 });
  }
  return kind === "loop" ? randomLoop(random, name, inner("l")) : body(name);
}

const EVENTS = ["t0", "t1", "t2", "t3"];

function createProgram(seed: number) {
  const random = createRandom(seed);
  const names = ["a", "b", "c", "d", "e"];
  const program = inTurn([body("first"), ...names.map((name) => randomPart(random, name, 0))]);
  const runs = new Map<string, number>();
  const ran = (key: string): void => void runs.set(key, (runs.get(key) ?? 0) + 1);
  const W = defineWorkflow({ name: "w" }, (_event, step) => program(step, ran));
  const time = createFakeTime();
  const state = emptyState(time.now);
  const store = { store: openMemoryStore(state), clock: time };
  const harness = createHarness({ workflows: { W }, store });
  return { harness, runs, state, runKey: "w\u0000x\u00001" };
}

type Played = ReturnType<typeof createProgram>;

/** The settled order of each key. */
const ordersOf = ({ state, runKey }: Played): ReadonlyMap<string, number> =>
  new Map(
    [...(state.steps.get(runKey)?.values() ?? [])].map((step) => [
      step.stepKey,
      step.settledOrder ?? Infinity,
    ]),
  );

const undelivered = ({ state, runKey }: Played): number =>
  (state.events.get(runKey) ?? []).filter(({ deliveredAt }) => deliveredAt === null).length;

/** Whether a step is in an iteration that an existing loop has passed. */
function behindLoops({ state, runKey }: Played): (stepKey: string) => boolean {
  const steps = new Map(state.steps.get(runKey));
  const position = (loop: string): number =>
    Number(/"iteration":(\d+)/.exec(steps.get(loop)?.result ?? "")?.[1] ?? 0);
  return (stepKey) =>
    [...loopsOf(stepKey)].some((loop) => (iterationOf(stepKey, loop) ?? 0) < position(loop));
}

async function rewindTo(played: Played, stepKey: string): Promise<"applied" | "passed"> {
  const { harness, runs } = played;
  const before = {
    orders: ordersOf(played),
    runs: new Map(runs),
    undelivered: undelivered(played),
  };
  const output = (await harness.status("w", "x")).output;
  try {
    await harness.engine.rewind("w", "x", stepKey);
  } catch (error) {
    expect(WorkflowError.is(error) && error.code).toBe("STEP_PASSED");
    expect(ordersOf(played)).toEqual(before.orders);
    return "passed";
  }
  const isBehind = behindLoops(played);
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  expect((await harness.status("w", "x")).output).toEqual(output);
  // Events that iterations of a loop had taken are removed after an hour.
  if (![...before.orders.keys()].some((key) => key.includes("/~")))
    expect(undelivered(played)).toBe(before.undelivered);
  const around = [stepKey, ...enclosingKeys(stepKey)].map(
    (key) => before.orders.get(key) ?? Infinity,
  );
  const from = Math.min(...around);
  for (const [key, count] of runs) {
    const was = before.runs.get(key) ?? 0;
    const order = before.orders.get(key);
    // Rows of a loop's old iterations are gone: those behind its position do not run again.
    const isKept = order === undefined ? isBehind(key) : order < from;
    expect({ key, count }).toEqual({ key, count: isKept ? was : was + 1 });
  }
  return "applied";
}

/** `ESCAPEMENT_RUNS` sets how many are played. */
const RUNS = Number(process.env["ESCAPEMENT_RUNS"] ?? 15);

it("S6-022 any program comes to the same end from each of its steps, and runs no body again that ended before", async () => {
  const counts = { applied: 0, passed: 0 };
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const played = createProgram(seed);
    const { harness } = played;
    await harness.workflows.W.create({ id: "x" });
    for (let count = 0; count < 60; count += 1)
      for (const type of EVENTS) await harness.sendEvent("w", "x", { type, payload: type });
    await harness.runThroughTime();
    expect({ seed, ...(await harness.status("w", "x")) }).toMatchObject({ status: "complete" });
    const keys = [...ordersOf(played).keys()];
    for (const key of keys) if (ordersOf(played).has(key)) counts[await rewindTo(played, key)] += 1;
  }
  expect(counts.applied).toBeGreaterThan(RUNS * 7);
  expect(counts.passed).toBeGreaterThan(RUNS / 3);
});

it("S6-022 an event that comes back keeps the reply that its sender may have read, in the next run too", async () => {
  let answers = 0;
  let fails = false;
  const W = defineWorkflow(
    { name: "w", runRetries: { limit: 1, delay: 0 } },
    async (_event, step) => {
      if (fails) {
        fails = false;
        throw new Error("once");
      }
      const question = await step.waitForEvent("question", { type: "question" });
      answers += 1;
      question.reply(`answer ${answers}`);
      await step.waitForEvent("end", { type: "end" });
    },
  );
  const { workflows, engine, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x" });
  await instance.sendEvent({ type: "question", eventId: "q" });
  await runUntilIdle();
  for (fails of [false, true]) {
    await instance.rewind("question");
    await runUntilIdle();
  }
  expect(await instance.status()).toMatchObject({ status: "waiting", runNumber: 2 });
  expect(answers).toBe(3);
  expect(await engine.getReply("w", "x", "q")).toEqual({ answered: true, reply: "answer 1" });
});
