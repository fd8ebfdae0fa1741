/** Transactions that nothing can be done in, and those that only their caller can try again. */
import { createEngine, type CallersTransaction } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, describe, expect, it } from "vitest";
import { openPostgres, openSqlite } from "./place.ts";
import { openPg } from "./postgres-clients.ts";
import { CLIENTS, closeScenes, openScene, params, POSTGRES_CLIENTS } from "./scene.ts";
import { openConnection } from "./sqlite-clients.ts";
import { order } from "./workflow.ts";

afterEach(closeScenes);

const unusable = { code: "TRANSACTION_UNUSABLE" };

describe.each(POSTGRES_CLIENTS)("S5-046 a transaction of %s", (_name, open, openClient) => {
  it("that another writer was faster than is told so at once, with the driver's error, and may still commit", async () => {
    const { client, engine, orders } = await openScene(open, (address) => {
      const repeatable = new URL(address);
      const isolation = "-c default_transaction_isolation=repeatable\\ read";
      repeatable.searchParams.set("options", isolation);
      return openClient(repeatable.href);
    });
    await client.transaction(async ({ tx, insertOrder }) => {
      await insertOrder("o-1");
      await engine.workflows.ORDER.create({ id: "o-1", params });
      const refused: unknown = await engine
        .with(tx)
        .workflows.ORDER.create({ id: "o-1", params })
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "TRANSACTION_CONFLICT", retryable: false });
      expect(refused).toHaveProperty("cause.cause");
      await insertOrder("o-2");
    });
    expect(await orders()).toEqual(["o-1", "o-2"]);
  });

  it("that has failed before is refused", async () => {
    const { engine, rolledBack, status } = await openScene(open, openClient);
    await rolledBack(async ({ tx, insertOrder }) => {
      await insertOrder("o-1");
      await expect(insertOrder("o-1")).rejects.toThrow();
      const { workflows } = engine.with(tx);
      await expect(workflows.ORDER.create({ id: "o-1", params })).rejects.toMatchObject(unusable);
    });
    expect(await status("o-1")).toBeNull();
  });
});

it.each(CLIENTS)(
  "S5-046 %s: that the tables are missing is said by code, and the transaction is left as it was",
  async (_name, open, openClient) => {
    const { client, engine, orders, query, store } = await openScene(open, openClient);
    await store.migrate();
    await query("drop table workflow_instance_workflows");
    await client.transaction(async ({ tx, insertOrder }) => {
      await insertOrder("o-1");
      const creating = engine.with(tx).workflows.ORDER.create({ params });
      await expect(creating).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
    });
    expect(await orders()).toEqual(["o-1"]);
  },
);

describe("S5-046 engine.with", () => {
  const anything: CallersTransaction = { query: () => Promise.reject(new Error("not asked")) };

  it("refuses at once where the store has no transactions", () => {
    const engine = createEngine({ workflows: { ORDER: order }, store: createMemoryStore() });
    expect(() => engine.with(anything)).toThrow(expect.objectContaining(unusable) as Error);
  });

  it("refuses a transaction on the other kind of database, and what is none", async () => {
    const onFile = await openScene(openSqlite, openConnection);
    const onServer = await openScene(openPostgres, openPg);
    await onFile.client.transaction(async (ofFile) => {
      const { ORDER } = onServer.engine.with(ofFile.tx).workflows;
      await expect(ORDER.create({ params })).rejects.toMatchObject({
        ...unusable,
        message: "the transaction is one of sqlite, and the engine's store is on postgres",
      });
    });
    await onServer.client.transaction(async (ofServer) => {
      const { ORDER } = onFile.engine.with(ofServer.tx).workflows;
      await expect(ORDER.create({ params })).rejects.toMatchObject(unusable);
    });
    const { ORDER } = onServer.engine.with({} as CallersTransaction).workflows;
    await expect(ORDER.create({ params })).rejects.toMatchObject(unusable);
  });

  it("wakes nobody before the commit: `committed` has a loop look at once", async () => {
    const { client, engine, status } = await openScene(openPostgres, openPg);
    const loop = engine.startLoop({ pollMs: 3_600_000 });
    try {
      let committed = (): void => undefined;
      await client.transaction(async ({ tx }) => {
        const within = engine.with(tx);
        await within.workflows.ORDER.create({ id: "o-1", params });
        ({ committed } = within);
      });
      expect(await status("o-1")).toBe("queued");
      committed();
      await expect.poll(() => status("o-1"), { interval: 10 }).toBe("waiting");
    } finally {
      await loop.stop();
    }
  });
});
