/** Steps that write into a fragment's tables: their writes exist together with their records, and once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type InstanceStatus, RollbackError } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { defineWorkflow } from "./authoring.ts";
import { type Bench, bankSchema, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import type { StepTx } from "./step-tx.ts";
import { createEntry, keysOf } from "./testing-entries.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const AT_ONCE = { retries: { limit: 3, delay: 0 } } as const;

describe.each(SERVERS)("steps that write into a fragment's tables on $name", (kind) => {
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

  test("S6-018 step.now after a step with writes is what its row says, on each replay", async () => {
    const executions: number[][] = [];
    const workflow = defineWorkflow({ name: "timed" }, async (_event, step) => {
      const times: number[] = [step.now().getTime()];
      executions.push(times);
      await step.do("write", ONCE, (tx) => createEntry(tx, "timed"));
      times.push(step.now().getTime());
      await step.sleep("nap", "1 hour");
      times.push(step.now().getTime());
    });
    expect(await run(workflow)).toMatchObject({ status: "waiting" });
    await bench.clock.advance(3_600_000);
    const engine = bench.createEngine({ W: workflow });
    await runUntilIdle(engine);
    const { steps } = await engine.listHistory("timed", "i", {});
    const settled = steps.map(({ updatedAt }) => updatedAt);
    expect(executions[1]?.slice(1)).toEqual(settled);
    expect(executions).toEqual([executions[1]?.slice(0, 2), executions[1]]);
  });

  test("S6-009 the writes of an undo are committed with its record, last step first", async () => {
    const workflow = defineWorkflow(
      { name: "undone", retries: AT_ONCE.retries },
      async (_event, step) => {
        await step.do(
          "first",
          { undo: (key: string, tx) => createEntry(tx, `${key}-undone`) },
          (tx) => {
            createEntry(tx, "undo-1");
            return "undo-1";
          },
        );
        await step.do(
          "second",
          { undo: { run: (key: string, tx) => createEntry(tx, `${key}-undone`), ...AT_ONCE } },
          (tx) => {
            createEntry(tx, "undo-2");
            return "undo-2";
          },
        );
        throw new RollbackError();
      },
    );
    expect(await run(workflow)).toMatchObject({
      status: "errored",
      error: { code: "ROLLED_BACK" },
    });
    expect(await keysOf(bench, "undo-")).toEqual([
      "undo-1",
      "undo-2",
      "undo-2-undone",
      "undo-1-undone",
    ]);
  });

  test("S1-004 S1-005 S1-007 a step's record and its writes are one trip; the callback may be sync and return a value", async () => {
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "one-trip" }, async (_event, step) => {
      const first = await step.do("a", (tx) => {
        trips.push(bench.trips());
        createEntry(tx, "trip-a");
        return "value";
      });
      await step.do("b", async (tx) => {
        trips.push(bench.trips());
        createEntry(tx, "trip-b");
      });
      await step.do("c", (tx) => {
        trips.push(bench.trips());
        createEntry(tx, "trip-c");
        createEntry(tx, "trip-d");
      });
      trips.push(bench.trips());
      return first;
    });
    expect(await run(workflow)).toMatchObject({ status: "complete", output: "value" });
    expect(trips.map((count) => count - (trips[0] ?? 0))).toEqual([0, 1, 2, 3]);
    expect(await keysOf(bench, "trip-")).toEqual(["trip-a", "trip-b", "trip-c", "trip-d"]);
  });

  test("S6-009 S1-004 an undo's writes are committed with its record, and once, though its first try fails", async () => {
    let tries = 0;
    const workflow = defineWorkflow({ name: "undone-retried" }, async (_event, step) => {
      const undo = {
        ...AT_ONCE,
        run: (result: string, tx: StepTx) => {
          tries += 1;
          createEntry(tx, `undone-${result}`);
          if (tries === 1) throw new Error("busy");
        },
      };
      await step.do("pay", { undo }, (tx) => {
        createEntry(tx, "undone-pay");
        return "refund";
      });
      throw new RollbackError();
    });
    expect(await run(workflow)).toMatchObject({
      status: "errored",
      error: { code: "ROLLED_BACK" },
    });
    expect(await keysOf(bench, "undone-")).toEqual(["undone-pay", "undone-refund"]);
  });

  test("S1-006 writes are there only with the step's record", async () => {
    const seen: unknown[] = [];
    const workflow = defineWorkflow({ name: "atomic" }, async (_event, step) => {
      await step.do("write", async (tx) => {
        createEntry(tx, "atomic-1");
        seen.push(await keysOf(bench, "atomic-"));
      });
      const rows = await bench.query(
        `select "status" from "workflow_step_workflows" where "workflowName" = 'atomic'`,
      );
      seen.push(await keysOf(bench, "atomic-"), rows);
    });
    await run(workflow);
    expect(seen).toEqual([[], ["atomic-1"], [{ status: "completed" }]]);
  });

  test("S0-032 replays do not write again", async () => {
    const workflow = defineWorkflow({ name: "replayed" }, async (_event, step) => {
      await step.do("a", (tx) => createEntry(tx, "replayed-a"));
      await step.sleep("nap", "1 hour");
      await step.do("b", (tx) => createEntry(tx, "replayed-b"));
      await step.sleep("second nap", "1 hour");
    });
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("replayed", { id: "i" });
    for (let round = 0; round < 3; round += 1) {
      await runUntilIdle(engine);
      await bench.clock.advance(3_600_000);
    }
    expect((await engine.getInstance("replayed", "i")).details.status).toBe("complete");
    expect(await keysOf(bench, "replayed-")).toEqual(["replayed-a", "replayed-b"]);
  });

  test("a row is made and changed in one step, and changed by the next", async () => {
    const setBalance = (tx: StepTx, balance: number): void =>
      tx.mutate(({ forSchema }) => {
        forSchema(bankSchema).update("account", "own", (b) => b.set({ balance }));
      });
    const workflow = defineWorkflow({ name: "same-row" }, async (_event, step) => {
      await step.do("make", (tx) => {
        tx.mutate(({ forSchema }) => {
          const bank = forSchema(bankSchema);
          const account = bank.create("account", { id: "own", balance: 1 });
          bank.update("account", account, (b) => b.set({ balance: 2 }));
        });
        setBalance(tx, 3);
      });
      await step.do("change", (tx) => setBalance(tx, 4));
    });
    expect((await run(workflow)).status).toBe("complete");
    expect(
      await bench.query(`select "balance", "_version" from "account_bank" where "id" = 'own'`),
    ).toEqual([{ balance: 4, _version: 3 }]);
  });

  test("tx is of no use once its callback has returned", async () => {
    let late: unknown;
    let kept: StepTx | undefined;
    const workflow = defineWorkflow({ name: "late" }, async (_event, step) => {
      await step.do("keep", (tx) => {
        kept = tx;
      });
      await step.do("use", () => {
        try {
          kept?.mutate(() => undefined);
        } catch (error) {
          late = error;
        }
      });
    });
    await run(workflow);
    expect(late).toMatchObject({ code: "STEP_TRANSACTION_CLOSED" });
  });

  test("the memory store refuses such a step at once", async () => {
    const workflow = defineWorkflow({ name: "memory" }, async (_event, step) =>
      step.do("write", (tx) => createEntry(tx, "memory-1")),
    );
    const engine = bench.createEngine({ W: workflow }, createMemoryStore());
    await engine.createInstance("memory", { id: "i" });
    await engine.tick();
    const { details } = await engine.getInstance("memory", "i");
    expect(details).toMatchObject({ status: "errored", error: { name: "WorkflowError" } });
  });
});
