/** However a run ends, its children are asked to end as their `onParentEnd` says. `refused-commits.test.ts` has one more way. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow, RollbackError, type WorkflowStep } from "../index.ts";
import type { WorkflowInstance } from "../authoring/bindings.ts";
import { createHarness } from "../testing/harness.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";

const HOUR_MS = 3_600_000;

/** A workflow of one child, and what happens to its instance once it waits. */
interface End {
  /** What the code does beside its child. It has an hour. @default it waits for the child */
  readonly beside?: (step: WorkflowStep) => unknown;
  readonly happens?: (instance: WorkflowInstance) => Promise<void>;
  readonly deadline?: "30 minutes";
  readonly runRetries?: { readonly limit: 1; readonly delay: "2 hours" };
  readonly limits?: { readonly maxStepsPerRun: 3 };
  /** How many processes die of it. */
  readonly deaths?: number;
  /** The status that it has in the end, and the code of its error. */
  readonly is: readonly [status: string, code?: string | null];
}

const throwing = (error: () => unknown) => () => {
  throw error();
};

const ENDS: Readonly<Record<string, End>> = {
  "is complete": { beside: () => "done", is: ["complete"] },
  throws: { beside: throwing(() => new TypeError("no")), is: ["errored", null] },
  "fails in a step": {
    beside: (step) =>
      step.do(
        "no",
        { retries: { limit: 0, delay: 0 } },
        throwing(() => Error("no")),
      ),
    is: ["errored", "STEP_FAILED"],
  },
  "has more steps than it may": {
    limits: { maxStepsPerRun: 3 },
    beside: async (step) => {
      for (let n = 0; n < 5; n += 1) await step.do("one", () => n);
    },
    is: ["errored", "RUN_STEP_LIMIT"],
  },
  "rolls itself back": {
    beside: throwing(() => new RollbackError("no")),
    is: ["errored", "ROLLED_BACK"],
  },
  "begins again after a failure": {
    runRetries: { limit: 1, delay: "2 hours" },
    beside: throwing(() => new TypeError("no")),
    is: ["queued", null],
  },
  "is past its deadline": { deadline: "30 minutes", is: ["errored", "DEADLINE_EXCEEDED"] },
  "is cancelled": { happens: (one) => one.cancel(), is: ["terminated"] },
  "is rolled back": {
    happens: (one) => one.terminate({ rollback: true }),
    is: ["terminated", "ROLLED_BACK"],
  },
  "is terminated": { happens: (one) => one.terminate(), is: ["terminated"] },
  "is given up": {
    beside: (step) => step.do("deadly", () => new Promise<never>(() => {})),
    deaths: 10,
    is: ["errored", "CRASH_LOOP"],
  },
};

describe.each(LOCAL_STORES)("S6-012 a child on %s ends as its onParentEnd says", (_name, open) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await open();
  });
  afterAll(() => timed.teardown());

  test.each(Object.entries(ENDS))("when its parent %s", async (_end, end) => {
    plays += 1;
    const [p, c] = [`p${plays}`, `c${plays}`];
    const { beside, happens, runRetries, limits, deadline, deaths = 0, is } = end;
    let begun = (): void => {};
    const workflows = {
      P: defineWorkflow({ name: p, ...(runRetries && { runRetries }) }, async (_event, step) => {
        const child = step.invoke(c, { id: c, onParentEnd: "terminate" });
        if (beside === undefined) return child;
        child.catch(() => undefined);
        await step.sleep("hour", HOUR_MS);
        begun();
        return beside(step);
      }),
      C: defineWorkflow({ name: c }, (_event, step) => step.waitForEvent("go", { type: "go" })),
    };
    const harness = createHarness({ workflows, store: timed, ...(limits && { limits }) });
    await harness.workflows.P.create({ id: p, ...(deadline && { deadline }) });
    await harness.runUntilIdle();
    expect(await harness.status(c, c)).toMatchObject({ status: "waiting" });
    await happens?.(await harness.workflows.P.get(p));
    await timed.clock.advance(HOUR_MS);
    for (let death = 0; death < deaths; death += 1) {
      const isBegun = new Promise<void>((resolve) => (begun = resolve));
      void harness.tick();
      await isBegun;
      harness.restart();
      await timed.clock.advance(HOUR_MS);
    }
    await harness.runUntilIdle();
    const [status, code] = is;
    expect(await harness.status(p, p)).toMatchObject({
      status,
      ...(code === undefined ? {} : { error: { code } }),
    });
    expect(await harness.status(c, c)).toMatchObject({ status: "terminated" });
  });
});
