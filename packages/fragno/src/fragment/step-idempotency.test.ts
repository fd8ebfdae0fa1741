/** A step's unit of work has the step's own key, whatever the reason of a retry. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { type Bench, bankSchema, EMBEDDED, openBench, runUntilIdle } from "./testing-step-tx.ts";

const AT_ONCE = { retries: { limit: 3, delay: 0 } } as const;

describe("idempotency keys of steps that write", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(EMBEDDED);
    await bench.query(`insert into "account_bank" ("id", "balance") values ('ann', 0)`);
    await bench.query(`insert into "entry_bank" ("id", "key") values ('e', 'taken')`);
  });
  afterAll(() => bench.close());

  test.each([{ services: false }, { services: true }])(
    "S5-048 each attempt whose writes are refused has the step's key, and so has the hook of the last, services: $services",
    async ({ services }) => {
      const name = `keys-${services}`;
      const keys: string[] = [];
      const workflow = defineWorkflow({ name }, (_event, step) =>
        step.do("book", AT_ONCE, (tx) => {
          if (services) tx.serviceCalls(() => [bench.bank.services.book("ann", 1)]);
          tx.mutate(({ forSchema, idempotencyKey }) => {
            keys.push(idempotencyKey);
            const uow = forSchema(bankSchema);
            uow.create("entry", { key: tx.attempt < 3 ? "taken" : name });
          });
          return tx.idempotencyKey;
        }),
      );
      const engine = bench.createEngine({ W: workflow });
      await engine.createInstance(name, { id: "i" });
      await runUntilIdle(engine);
      const { output } = (await engine.getInstance(name, "i")).details;
      expect(keys).toEqual([output, output, output]);
      const hooks = await bench.query(`select "nonce" from "fragno_hooks"`);
      expect(hooks).toEqual(services ? [{ nonce: output }] : []);
    },
  );
});
