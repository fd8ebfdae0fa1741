/** Writes of steps that the database refuses, or that come too late: the attempt fails, and nothing of it is written. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type InstanceStatus, WorkflowError } from "@escapement/engine";
import { defineWorkflow } from "./authoring.ts";
import { type Bench, bankSchema, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import { createEntry, keysOf } from "./testing-entries.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const AT_ONCE = { retries: { limit: 3, delay: 0 } } as const;

describe.each(SERVERS)("writes that are refused on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());
  /** Runs one instance of the workflow to its end. */
  async function run(workflow: ReturnType<typeof defineWorkflow>): Promise<InstanceStatus> {
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance(workflow.name, { id: "i" });
    await runUntilIdle(engine);
    return (await engine.getInstance(workflow.name, "i")).details;
  }

  test("a unique index that refuses a write fails the attempt, and nothing of it is written", async () => {
    const attempts: number[] = [];
    const workflow = defineWorkflow({ name: "unique" }, async (_event, step) => {
      await step.do("first", (tx) => createEntry(tx, "unique-taken"));
      return step.do("second", AT_ONCE, (tx) => {
        attempts.push(tx.attempt);
        createEntry(tx, `unique-with-${tx.attempt}`);
        createEntry(tx, tx.attempt < 3 ? "unique-taken" : "unique-free");
        return tx.attempt;
      });
    });
    expect(await run(workflow)).toMatchObject({ status: "complete", output: 3 });
    expect(attempts).toEqual([1, 2, 3]);
    expect(await keysOf(bench, "unique-")).toEqual([
      "unique-taken",
      "unique-with-3",
      "unique-free",
    ]);
  });

  test("the step fails with the refusal when no attempt is left; the workflow can catch it", async () => {
    const workflow = defineWorkflow({ name: "refused" }, async (_event, step) => {
      await step.do("first", (tx) => createEntry(tx, "refused-taken"));
      return step
        .do("second", ONCE, (tx) => createEntry(tx, "refused-taken"))
        .catch((error: unknown) => (WorkflowError.is(error) ? [error.code, error.name] : error));
    });
    expect(await run(workflow)).toMatchObject({ output: ["STEP_FAILED", "FragnoAdapterError"] });
    expect(await keysOf(bench, "refused-")).toEqual(["refused-taken"]);
  });

  test("a row that is not there, and a statement that the database rejects, fail the attempt", async () => {
    const workflow = defineWorkflow({ name: "rejected", ...ONCE }, async (_event, step) => {
      const nameOf = (error: unknown): unknown => (error instanceof Error ? error.name : error);
      const missing = await step
        .do("missing", (tx) =>
          tx.mutate(({ forSchema }) => {
            forSchema(bankSchema).update("account", "nobody", (b) => b.set({ balance: 1 }));
          }),
        )
        .catch(nameOf);
      const rejected = await step
        .do("rejected", (tx) => createEntry(tx, null as never))
        .catch(nameOf);
      return [missing, typeof rejected];
    });
    expect(await run(workflow)).toMatchObject({
      status: "complete",
      output: ["FragnoAdapterError", "string"],
    });
  });

  test("what a body queued before it threw is dropped", async () => {
    const workflow = defineWorkflow({ name: "thrown" }, async (_event, step) =>
      step.do("write", AT_ONCE, (tx) => {
        createEntry(tx, `thrown-${tx.attempt}`);
        if (tx.attempt === 1) throw new RangeError("not yet");
      }),
    );
    await run(workflow);
    expect(await keysOf(bench, "thrown-")).toEqual(["thrown-2"]);
  });

  test("a lease that is lost while the body runs writes nothing", async () => {
    const workflow = defineWorkflow({ name: "stale" }, async (_event, step) =>
      step.do("write", async (tx) => {
        createEntry(tx, "stale-1");
        await bench.query(
          `update "workflow_task_workflows" set "lockOwner" = 'somebody else' where "workflowName" = 'stale'`,
        );
      }),
    );
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("stale", { id: "i" });
    await engine.tick();
    expect(await keysOf(bench, "stale-")).toEqual([]);
    expect((await engine.listHistory("stale", "i", {})).steps).toEqual([]);
  });
});
