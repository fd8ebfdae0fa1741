import { PGlite } from "@electric-sql/pglite";
import { expect, test } from "vitest";
import { describeDatabaseContract } from "../testing/index.ts";
import { createPgliteDatabase } from "./pglite.ts";

describeDatabaseContract({
  name: "PGlite",
  async setup() {
    const pglite = await PGlite.create();
    return { database: createPgliteDatabase(pglite), teardown: () => pglite.close() };
  },
});

test("a batch after close is unavailable", async () => {
  const database = createPgliteDatabase(await PGlite.create());
  await database.close();
  await expect(database.batch([{ text: "select 1", values: [] }])).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    retryable: true,
  });
});
