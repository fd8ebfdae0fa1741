/** Bodies that end while the code for their outcome is being loaded, or cannot be loaded for a while. */
import { beforeAll, expect, it, vi } from "vitest";
import { late, type Late } from "../core/late.ts";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import { createGate } from "./testing-rollback-attack.ts";

let loaded: typeof OtherOutcomes;
let otherOutcomes: Late<typeof OtherOutcomes>;

vi.mock("./late-code.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  otherOutcomes: () => otherOutcomes(),
}));

beforeAll(async () => {
  loaded = await import("./other-outcomes.ts");
});

/** As in a process that has loaded no late code. */
const startAnew = (load: () => Promise<typeof OtherOutcomes>): void => {
  otherOutcomes = late(load);
};

/** Code that arrives when the test says so. */
function loadWhenTold() {
  const [asked, gate] = [createGate(), createGate()];
  startAnew(async () => {
    asked.open();
    await gate.opened;
    return loaded;
  });
  return { isAsked: asked.opened, arrive: gate.open };
}

it("S9-010 a body that ends while the code is loaded does not overtake the one that failed before it", async () => {
  const code = loadWhenTold();
  const mayEnd = createGate();
  let runs = 0;
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const failing = step.do("failing", { retries: { limit: 0, delay: 0 } }, async () => {
      runs += 1;
      throw new RangeError("first");
    });
    const quick = step.do("quick", () => ((runs += 1), mayEnd.opened.then(() => "quick")));
    return Promise.race([failing.catch(() => "failing"), quick]);
  });
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  const ticking = harness.engine.tick();
  await code.isAsked;
  mayEnd.open();
  await new Promise((resolve) => void setImmediate(resolve));
  code.arrive();
  await ticking;
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "failing" });
  expect(runs).toBe(2);
});

it("S9-010 a process that is to stop while the code is loaded keeps what the body came to: it is not run again", async () => {
  const code = loadWhenTold();
  let runs = 0;
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const result = await step.do("rich", () => ((runs += 1), new Map([["a", 1n]])));
    return result.get("a") === 1n;
  });
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  const stop = new AbortController();
  const ticking = harness.engine.tick({ signal: stop.signal });
  await code.isAsked;
  stop.abort();
  code.arrive();
  await ticking;
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: true });
  expect(runs).toBe(1);
});

it("S9-010 code that cannot be loaded once is asked for again: no body runs twice, and no attempt is lost", async () => {
  let asked = 0;
  startAnew(async () => {
    asked += 1;
    if (asked === 1) throw new RangeError("too many open files");
    return loaded;
  });
  const attempts: number[] = [];
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("fails", { retries: { limit: 1, delay: 1000 } }, ({ attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) throw new RangeError("no");
      return "done";
    }),
  );
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime(10_000);
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
  expect({ attempts, asked }).toEqual({ attempts: [1, 2], asked: 2 });
  expect(harness.log.filter(({ event }) => event === "run.not_closed")).toEqual([]);
});

it("S9-010 while it cannot be loaded the attempt counts as lost, and the next one waits for it, by the minute and aloud: none of the author's retries is used up", async () => {
  startAnew(() => Promise.reject(new RangeError("no such file")));
  const attempts: number[] = [];
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("fails", { retries: { limit: 1, delay: 1000 } }, ({ attempt }) => {
      attempts.push(attempt);
      throw new RangeError("always");
    }),
  );
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await harness.clock.advance(60_000);
  await harness.runUntilIdle();
  expect(attempts).toEqual([1]);
  expect(harness.log.filter(({ event }) => event === "run.not_closed")).toHaveLength(2);
  startAnew(async () => loaded);
  await harness.runThroughTime(300_000);
  expect(attempts).toEqual([1, 2, 3]);
  expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
});
