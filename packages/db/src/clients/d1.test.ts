import { expect, test } from "vitest";
import { createD1Database, type D1Binding } from "./d1.ts";

// The contract runs in workerd: see runtime-tests.
test("a D1 that never answers does not hang a batch", async () => {
  const statement: ReturnType<D1Binding["prepare"]> = { bind: () => statement };
  const silent = { prepare: () => statement, batch: () => new Promise<never>(() => undefined) };
  await expect(
    createD1Database(silent, { batchTimeoutMs: 10 }).batch([{ text: "select 1", values: [] }]),
  ).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE", retryable: true });
});

test("a batch after close is unavailable; closing twice does no harm", async () => {
  const statement: ReturnType<D1Binding["prepare"]> = { bind: () => statement };
  const database = createD1Database({ prepare: () => statement, batch: () => Promise.resolve([]) });
  await database.close();
  await database.close();
  await expect(database.batch([])).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});
