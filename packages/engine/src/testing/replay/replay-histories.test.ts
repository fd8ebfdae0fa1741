import { describe, expect, test } from "vitest";
import { defineWorkflow, type WorkflowDefinition } from "../../authoring/define-workflow.ts";
import { Loop } from "../../authoring/loop.ts";
import type { WorkflowStep } from "../../authoring/step.ts";
import { createMemoryStore } from "../../stores/memory/index.ts";
import type { MovingStore } from "../../ports/move.ts";
import type { Store } from "../../ports/store.ts";
import { createFakeTime } from "../fake-time.ts";
import { createFaultStore } from "../fault-store.ts";
import { createHarness } from "../harness.ts";
import { assertNoDivergence, type ReplayReport } from "./report.ts";
import { replayHistories } from "./replay-histories.ts";

type Body = (step: WorkflowStep, params: { readonly fails?: boolean }) => Promise<unknown>;

let effects = 0;
const effect =
  <T>(value: T): (() => T) =>
  () => {
    effects += 1;
    return value;
  };

/** The deployed code, as text that an author edits: each kind of step, with waits in between. */
const DEPLOYED = `async (step, { fails = false }) => {
  const price = await step.do("price", effect(10));
  const [stock, risk] = await Promise.all([
    step.do("stock", effect(3)),
    step.do("risk", effect("low")),
  ]);
  await step.join("hand over", {
    pay: async (branch) => branch.do("charge", effect(price)),
    mail: async (branch) => branch.do("send", effect("sent")),
  });
  await step.loop("poll", {
    state: 0,
    run: async (branch, n) => {
      await branch.do("look", effect(n));
      return n < 2 ? Loop.continue(n + 1) : Loop.break(n);
    },
  });
  await step.sleep("cool off", "1 hour");
  if (fails)
    await step.do("ship", { retries: { limit: 0 } }, () => {
      throw new TypeError("no carrier");
    });
  const approval = await step.waitForEvent("approval", { type: "approved" });
  await step.do("book", effect(approval.payload.ok));
  return { price, stock, risk };
}`;

/** The deployed code with some of its text changed. */
function edited(from: string = "", to: string = ""): Body {
  if (!DEPLOYED.includes(from)) throw new RangeError(`the code has no ${from}`);
  const code = `return (${DEPLOYED.replace(from, () => to)})`;
  // oxlint-disable-next-line typescript/no-implied-eval -- what an author changes is text
  return new Function("effect", "Loop", code)(effect, Loop) as Body;
}

const deployed = edited();

const define = (run: Body, name = "order"): WorkflowDefinition =>
  defineWorkflow({ name }, (event, step) => run(step, event.payload ?? {})) as never;

interface Kept {
  readonly store: Store;
  /** The verbs in the order of their calls. */
  readonly calls: readonly string[];
}

/** A database with an order that has completed, one that waits for its approval, one that failed and one that sleeps. */
async function fill(): Promise<Kept> {
  const time = createFakeTime();
  const calls: string[] = [];
  const store = createMemoryStore({ now: time.now });
  const harness = createHarness({
    workflows: { ORDER: define(deployed) },
    store: { store, clock: time },
  });
  const { ORDER } = harness.workflows;
  await ORDER.create({ id: "complete", params: {} });
  await ORDER.create({ id: "waiting", params: {} });
  await ORDER.create({ id: "errored", params: { fails: true } });
  await harness.runThroughTime(2 * 3_600_000);
  await harness.sendEvent("order", "complete", { type: "approved", payload: { ok: true } });
  await harness.runUntilIdle();
  await ORDER.create({ id: "sleeping", params: {} });
  await harness.runUntilIdle();
  const watched = createFaultStore(store, (call) => {
    calls.push(call.verb);
    return "none";
  });
  return { calls, store: { ...watched, moving: async () => watch(await store.moving(), calls) } };
}

const watch = (moving: MovingStore, calls: string[]): MovingStore =>
  new Proxy(moving, {
    get: (target, name) => {
      calls.push(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });

async function replay(run: Body, kept?: Kept): Promise<ReplayReport> {
  const { store } = kept ?? (await fill());
  return replayHistories({ workflows: { ORDER: define(run) }, store });
}

const INCOMPATIBLE: readonly (readonly [says: string, from: string, to: string])[] = [
  ["a step is renamed", 'step.do("price"', 'step.do("cost"'],
  ["a step is gone", 'await step.do("price", effect(10))', "10"],
  [
    "a step is new before others",
    "const price =",
    'await step.do("check", effect(1)); const price =',
  ],
  [
    "a step is another type of step",
    'await step.do("price", effect(10))',
    'await step.sleep("price", 1)',
  ],
  ["a sleep is a step", 'step.sleep("cool off", "1 hour")', 'step.do("cool off", effect(1))'],
  ["a sleep is renamed", '"cool off"', '"rest"'],
  ["a sleep is gone", 'await step.sleep("cool off", "1 hour");', ""],
  ["a wait is renamed", 'waitForEvent("approval"', 'waitForEvent("consent"'],
  ["a wait is for another event", '"approved"', '"accepted"'],
  [
    "a wait is a step",
    'step.waitForEvent("approval", { type: "approved" })',
    'step.do("approval", effect({ payload: { ok: true } }))',
  ],
  ["a parallel step is renamed", 'step.do("risk"', 'step.do("danger"'],
  ["a parallel step is gone", 'step.do("risk", effect("low"))', '"low"'],
  ["a loop is renamed", '"poll"', '"watch"'],
  ["a scope is renamed", '"hand over"', '"hand on"'],
  ["a branch is renamed", "pay: async", "charge: async"],
  ["a branch is gone", 'mail: async (branch) => branch.do("send", effect("sent")),', ""],
  ["a step of a branch is renamed", '"charge"', '"debit"'],
  ["a step leaves its branch", 'branch.do("charge"', 'step.do("charge"'],
  ["a loop goes round once less", "n < 2", "n < 1"],
  ["a step of a loop is renamed", '"look"', '"ask"'],
  [
    "code throws where it went on",
    "const price =",
    'await null; throw new TypeError("oops"); const price =',
  ],
  [
    "two steps change places",
    'await step.sleep("cool off", "1 hour")',
    'await step.waitForEvent("approval", { type: "approved" })',
  ],
];

const PARALLEL = `await Promise.all([
    step.do("stock", effect(3)),
    step.do("risk", effect("low")),
  ])`;
const PARALLEL_SWAPPED =
  '(await Promise.all([step.do("risk", effect("low")), step.do("stock", effect(3))])).reverse()';

const COMPATIBLE: readonly (readonly [says: string, from: string, to: string])[] = [
  ["nothing", "const price", "const price"],
  ["a body", 'step.do("price", effect(10))', 'step.do("price", effect(99))'],
  ["a result's use", "return { price, stock, risk }", "return { total: price * stock, risk }"],
  ["a variable's name", "const approval = await", "const approval = /* consent */ await"],
  ["retries", 'step.do("price",', 'step.do("price", { retries: { limit: 9 } },'],
  ["a timeout", 'step.do("stock",', 'step.do("stock", { timeout: "1 minute" },'],
  ["a sleep's length", '"1 hour"', '"3 hours"'],
  ["a log line", "const price =", "const seen = []; const price ="],
  [
    "a step at the end",
    "return { price, stock, risk }",
    'await step.do("thank", effect(1)); return price',
  ],
  [
    "a sleep at the end",
    "return { price, stock, risk }",
    'await step.sleep("settle", 1000); return price',
  ],
  [
    "a wait at the end",
    "return { price, stock, risk }",
    'await step.waitForEvent("done", { type: "done" }); return price',
  ],
  ["the order of parallel calls", PARALLEL, PARALLEL_SWAPPED],
  ["a condition that holds", "await step.sleep(", "if (price > 1) await step.sleep("],
  ["a failure's mending", "if (fails)", "if (fails && price > 10)"],
  [
    "a version where nobody has come yet",
    "return { price, stock, risk }",
    'await step.version("new end", 2); return price',
  ],
  ["synchronous work", "const price =", "JSON.stringify([1, 2, 3]); const price ="],
  ["a microtask", "const price =", "await Promise.resolve(); const price ="],
  ["a wait's deadline", '{ type: "approved" }', '{ type: "approved", timeout: "2 days" }'],
  [
    "undo of a step at the end",
    "return { price, stock, risk }",
    'await step.do("thank", { undo: () => {} }, effect(1)); return price',
  ],
  [
    "a step that is gone on purpose",
    'const price = await step.do("price", effect(10))',
    'step.removed("price", "do"); const price = 10',
  ],
  [
    "a change behind a version",
    'await step.sleep("cool off", "1 hour")',
    'if (step.version("rest", 2) === 1) await step.sleep("cool off", "1 hour"); else await step.do("rest", effect(1))',
  ],
  [
    "another branch at the end",
    "return { price, stock, risk }",
    'await step.join("last", { a: (b) => b.do("x", effect(1)) }); return price',
  ],
];

describe("S8-013 stored histories against new code", () => {
  test.each(INCOMPATIBLE)(
    "S8-013 a change that breaks them is found: %s",
    async (_says, from, to) => {
      const report = await replay(edited(from, to));
      expect(report.divergedCount, report.text).toBeGreaterThan(0);
      expect(() => assertNoDivergence(report)).toThrow(/diverged/);
    },
  );

  test.each(COMPATIBLE)(
    "S8-013 a change that they outlive is let through: %s",
    async (_says, from, to) => {
      const report = await replay(edited(from, to));
      expect(report.divergences, report.text).toEqual([]);
      expect(report.replayedCount).toBe(4);
    },
  );

  test("S8-013 what many instances diverge in is told once by its place, with their count", async () => {
    const { places, text } = await replay(edited('step.do("price"', 'step.do("cost"'));
    const said = 'history has step "price", which the code does not call';
    expect(places[0]).toEqual({
      workflowName: "order",
      instanceId: "sleeping",
      runNumber: 1,
      kind: "notCalled",
      stepKey: "price",
      message: said,
      instanceCount: 4,
    });
    // In the order of the history, as far as as many diverge there: what comes first is the reason for the rest.
    expect(places.map(({ instanceCount }) => instanceCount).join("")).toBe("44444444444211");
    expect(text.split("\n")[1]).toBe(`order sleeping and 3 more: ${said}`);
  });

  test("S8-013 no body is run, and nothing is written to the store that is read", async () => {
    const kept = await fill();
    effects = 0;
    await replay(deployed, kept);
    expect(effects).toBe(0);
    // A page of instances, and all records of eight of them.
    expect(kept.calls.filter((name) => name !== "then")).toEqual(["findInstances", "loadMembers"]);
  });
});
