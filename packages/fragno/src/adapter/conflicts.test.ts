/** Conflicts that the database reports, injected at the port in front of a real database. */
import { ConcurrencyConflictError } from "@fragno-dev/db";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Conflict } from "@escapement/db/client";
import type { Database } from "@escapement/db";
import { createFragnoAdapter } from "./adapter.ts";
import { createJitteredRetryPolicy } from "./retry-policy.ts";
import { dbNow } from "./db-now.ts";
import { EMBEDDED, type TestServer } from "./testing/databases.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

describe("conflicts", () => {
  let server: TestServer;
  let database: Database;
  /** The answers to the next batches, which are not applied. */
  const faults: Conflict["reason"][] = [];

  beforeAll(async () => {
    server = await EMBEDDED.start();
    const real = server.open();
    database = {
      dialect: real.dialect,
      batch(statements) {
        const reason = faults.shift();
        if (reason === undefined) return real.batch(statements);
        return Promise.resolve({ kind: "conflict", reason, guard: null });
      },
      close: () => real.close(),
    };
  });
  afterAll(() => server.drop());

  /** Reads and creates in one transaction; returns how often it was begun. */
  async function transact(
    injected: readonly Conflict["reason"][],
    { maxTries, maxRetries }: { readonly maxTries: number; readonly maxRetries: number },
  ): Promise<number> {
    const shop = await openShop(
      createFragnoAdapter({ database, retry: { maxTries, baseDelayMs: 0 } }),
    );
    let tries = 0;
    faults.push(...injected);
    await shop.inContext(function () {
      return this.handlerTx({
        retryPolicy: createJitteredRetryPolicy({ maxRetries, baseDelayMs: 0 }),
      })
        .retrieve(({ forSchema }) =>
          forSchema(shopSchema).find("customer", (b) => b.whereIndex("primary")),
        )
        .mutate(({ forSchema }) => {
          tries += 1;
          forSchema(shopSchema).create("customer", { name: "C" });
        })
        .execute();
    });
    return tries;
  }

  test("S2-012 S2-039 S2-046 a serialization failure or a deadlock is sent again, without running the transaction's code again", async () => {
    const injected = ["serialization", "deadlock", "busy"] as const;
    expect(await transact(injected, { maxTries: 10, maxRetries: 0 })).toBe(1);
  });

  test("S2-039 what stays contended becomes Fragno's own conflict, which it retries, in both phases", async () => {
    const once = { maxTries: 1, maxRetries: 1 };
    expect(await transact(["serialization"], once)).toBe(1);
    const refused = transact(["deadlock", "busy"], once);
    await expect(refused).rejects.toBeInstanceOf(ConcurrencyConflictError);
    expect(faults).toEqual([]);
  });

  test("S2-016 a transaction's own callback after the commit is awaited", async () => {
    const shop = await openShop(createFragnoAdapter({ database }));
    const order: string[] = [];
    await shop.inContext(function () {
      return this.handlerTx({
        onAfterMutate: async () => {
          await Promise.resolve();
          order.push("callback");
        },
      })
        .mutate(({ forSchema }) => void forSchema(shopSchema).create("customer", { name: "D" }))
        .execute();
    });
    order.push("answer");
    expect(order).toEqual(["callback", "answer"]);
  });

  test("S2-030 for an adapter that does not know it, the database's time is a date of this process", () => {
    const before = Date.now();
    const at = dbNow(60_000.9);
    expect(at).toBeInstanceOf(Date);
    expect(at.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
    expect([at.tag, at.offsetMs]).toEqual(["db-now", 60_000]);
  });

  test("waits of the retry policy are random below a bound that doubles", () => {
    const policy = createJitteredRetryPolicy({ maxRetries: 3, random: () => 0.5 });
    expect([0, 1, 2, 9].map((attempt) => policy.getDelayMs(attempt))).toEqual([5, 10, 20, 250]);
    expect([0, 2, 3].map((attempt) => policy.shouldRetry(attempt))).toEqual([true, true, false]);
    expect(policy.shouldRetry(0, null, AbortSignal.abort())).toBe(false);
  });
});
