/** What a step's transaction shares: services of other fragments, rows that others write, concurrent steps. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { InstanceStatus } from "@escapement/engine";
import { createHooksProcessor } from "../adapter/hooks/processor.ts";
import { defineWorkflow } from "./authoring.ts";
import { type Bench, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import { createEntry, keysOf } from "./testing-entries.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const AT_ONCE = { retries: { limit: 3, delay: 0 } } as const;

describe.each(SERVERS)("shared transactions on $name", (kind) => {
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
    expect(await keysOf(bench, "services-")).toEqual(["services-1"]);
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
    expect(await keysOf(bench, "raced-")).toEqual(["raced-2"]);
    expect(await bench.query(`select "balance" from "account_bank" where "id" = 'raced'`)).toEqual([
      { balance: 25 },
    ]);
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
    // Their starts, because each may start only once; then the writes of all three.
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(2);
    expect(await keysOf(bench, "parallel-")).toEqual(
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
});
