import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type InstanceStatus, RollbackError, WorkflowError } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createHooksProcessor } from "../adapter/hooks/processor.ts";
import { defineWorkflow } from "./authoring.ts";
import { type Bench, bankSchema, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import type { StepTx } from "./step-tx.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const AT_ONCE = { retries: { limit: 3, delay: 0 } } as const;

const createEntry = (tx: StepTx, key: string, amount = 1): void =>
  tx.mutate(({ forSchema }) => void forSchema(bankSchema).create("entry", { key, amount }));

describe.each(SERVERS)("steps that write into a fragment's tables on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());

  /** Keys of the entries that begin with the prefix, in order of creation. */
  const entries = async (prefix: string): Promise<unknown[]> => {
    const rows = await bench.query(
      `select "key" from "entry_bank" where "key" like '${prefix}%' order by "_internalId"`,
    );
    return rows.map((row) => row["key"]);
  };

  /** Runs one instance of the workflow through. */
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
    expect(await entries("undo-")).toEqual(["undo-1", "undo-2", "undo-2-undone", "undo-1-undone"]);
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
    expect(await entries("trip-")).toEqual(["trip-a", "trip-b", "trip-c", "trip-d"]);
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
    expect(await entries("undone-")).toEqual(["undone-pay", "undone-refund"]);
  });

  test("S1-006 writes are there only with the step's record", async () => {
    const seen: unknown[] = [];
    const workflow = defineWorkflow({ name: "atomic" }, async (_event, step) => {
      await step.do("write", async (tx) => {
        createEntry(tx, "atomic-1");
        seen.push(await entries("atomic-"));
      });
      const rows = await bench.query(
        `select "status" from "workflow_step_workflows" where "workflowName" = 'atomic'`,
      );
      seen.push(await entries("atomic-"), rows);
    });
    await run(workflow);
    expect(seen).toEqual([[], ["atomic-1"], [{ status: "completed" }]]);
  });

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
    expect(await entries("unique-")).toEqual(["unique-taken", "unique-with-3", "unique-free"]);
  });

  test("the step fails with the refusal when no attempt is left; the workflow can catch it", async () => {
    const workflow = defineWorkflow({ name: "refused" }, async (_event, step) => {
      await step.do("first", (tx) => createEntry(tx, "refused-taken"));
      return step
        .do("second", ONCE, (tx) => createEntry(tx, "refused-taken"))
        .catch((error: unknown) => (WorkflowError.is(error) ? [error.code, error.name] : error));
    });
    expect(await run(workflow)).toMatchObject({ output: ["STEP_FAILED", "FragnoAdapterError"] });
    expect(await entries("refused-")).toEqual(["refused-taken"]);
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
    expect(await entries("thrown-")).toEqual(["thrown-2"]);
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
    expect(await entries("replayed-")).toEqual(["replayed-a", "replayed-b"]);
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

  test("services of another fragment and mutations are one batch; reads cost one trip more; hooks run once", async () => {
    await bench.query(`insert into "account_bank" ("id", "balance") values ('shared', 10)`);
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "services" }, async (_event, step) => {
      await step.do("book", (tx) => {
        trips.push(bench.trips());
        tx.serviceCalls(() => [bench.bank.services.book("shared", 5)]);
        tx.serviceCalls(() => [undefined]);
        createEntry(tx, "services-1", 5);
      });
      trips.push(bench.trips());
    });
    expect((await run(workflow)).status).toBe("complete");
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(2);
    expect(await entries("services-")).toEqual(["services-1"]);
    expect(await bench.query(`select "balance" from "account_bank" where "id" = 'shared'`)).toEqual(
      [{ balance: 15 }],
    );
    await createHooksProcessor([bench.bank]).process();
    await createHooksProcessor([bench.bank]).process();
    expect(bench.booked).toEqual(["shared"]);
  });

  test("a row that changed after a service read it fails the attempt; the next reads it anew", async () => {
    await bench.query(`insert into "account_bank" ("id", "balance") values ('raced', 10)`);
    const attempts: number[] = [];
    const workflow = defineWorkflow({ name: "raced" }, async (_event, step) =>
      step.do("book", AT_ONCE, (tx) => {
        attempts.push(tx.attempt);
        tx.serviceCalls(() => [bench.bank.services.book("raced", 5)]);
        createEntry(tx, `raced-${tx.attempt}`);
      }),
    );
    bench.meddle(async (statements, send) => {
      const isFirst =
        attempts.length === 1 && statements.some(({ text }) => text.includes("entry_bank"));
      if (isFirst)
        await bench.query(
          `update "account_bank" set "balance" = 20, "_version" = "_version" + 1 where "id" = 'raced'`,
        );
      return send();
    });
    expect((await run(workflow)).status).toBe("complete");
    expect(attempts).toEqual([1, 2]);
    expect(await entries("raced-")).toEqual(["raced-2"]);
    expect(await bench.query(`select "balance" from "account_bank" where "id" = 'raced'`)).toEqual([
      { balance: 25 },
    ]);
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
    expect(await entries("stale-")).toEqual([]);
    expect((await engine.listHistory("stale", "i", {})).steps).toEqual([]);
  });

  test("parallel steps share a boundary; a refused one fails alone", async () => {
    await bench.query(`insert into "entry_bank" ("id", "key") values ('p', 'parallel-taken')`);
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "parallel", ...ONCE }, async (_event, step) => {
      trips.push(bench.trips());
      await Promise.all(
        ["a", "b", "c"].map((key) => step.do(key, (tx) => createEntry(tx, `parallel-${key}`))),
      );
      trips.push(bench.trips());
      const ends = await Promise.allSettled(
        ["d", "taken", "e"].map((key) => step.do(key, (tx) => createEntry(tx, `parallel-${key}`))),
      );
      return ends.map(({ status }) => status);
    });
    expect(await run(workflow)).toMatchObject({ output: ["fulfilled", "rejected", "fulfilled"] });
    // Their starts, since each may start once only; then what all three have written.
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(2);
    expect(await entries("parallel-")).toEqual(
      ["taken", "a", "b", "c", "d", "e"].map((key) => `parallel-${key}`),
    );
  });

  test("what ends while a commit is under way comes after it, live as on every replay", async () => {
    let endPlain = (): void => undefined;
    const winners: string[] = [];
    const workflow = defineWorkflow({ name: "order" }, async (_event, step) => {
      const writing = step.do("write", (tx) => createEntry(tx, "order-1"));
      const plain = step.do("plain", () => new Promise<void>((resolve) => (endPlain = resolve)));
      const told = [writing.then(() => "write"), plain.then(() => "plain")];
      winners.push(await Promise.race(told));
      await Promise.all(told);
      await step.sleep("nap", "1 hour");
    });
    bench.meddle(async (statements, send) => {
      if (statements.some(({ text }) => text.includes("entry_bank"))) {
        endPlain();
        await bench.query("select 1 as one");
      }
      return send();
    });
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("order", { id: "i" });
    await runUntilIdle(engine);
    await bench.clock.advance(3_600_000);
    await runUntilIdle(engine);
    expect(winners).toEqual(["write", "write"]);
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
