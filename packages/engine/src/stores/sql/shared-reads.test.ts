/** Thousands of calls wait on one process: their looks share trips, and leave connections for work. */
import type { Database } from "@escapement/db";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { newId } from "../../testing/store-contract/builders.ts";
import { createSqlStore, migrate } from "./index.ts";

/** A database where each trip takes a turn of the event loop. */
function openFar() {
  const near = createSqliteDatabase(new Libsql(":memory:"));
  const trips = { count: 0, open: 0, most: 0 };
  const batch: Database["batch"] = async (statements, options) => {
    trips.count += 1;
    trips.open += 1;
    trips.most = Math.max(trips.most, trips.open);
    await new Promise<void>((resolve) => setImmediate(resolve));
    trips.open -= 1;
    return near.batch(statements, options);
  };
  const database: Database = { dialect: near.dialect, batch, close: () => near.close() };
  return { near, database, trips };
}

const WORKFLOW = "W";
const instance = (instanceId: string) => ({
  workflowName: WORKFLOW,
  instanceId,
  params: JSON.stringify(instanceId),
  instanceRowId: newId(),
  taskRowId: newId(),
  start: null,
  claim: null,
});

it("S6-019 waits that look together share trips, a few at a time, and each learns of its own instance", async () => {
  const { near, database, trips } = openFar();
  await migrate(near);
  const store = createSqlStore({ database });
  const ids = Array.from({ length: 100 }, (_, index) => `i-${index}`);
  await store.create(ids.map(instance));
  Object.assign(trips, { count: 0, most: 0 });
  const looks = ids.flatMap((instanceId) => [
    store.loadInstance(WORKFLOW, instanceId),
    store.loadInstance(WORKFLOW, `${instanceId}-not`),
  ]);
  const streams = ids.map((instanceId) =>
    store.readProgress({ workflowName: WORKFLOW, instanceId, after: 0, limit: 10 }),
  );
  const found = await Promise.all(looks);
  expect(found.map((record) => record?.instanceId ?? null)).toEqual(
    ids.flatMap((id) => [id, null]),
  );
  expect(await Promise.all(streams)).toHaveLength(100);
  // 300 looks; the first ones go alone.
  expect(trips.count).toBeLessThan(30);
  expect(trips.most).toBe(4);
  await database.close();
});

it("S6-019 a look that comes alone leaves at once, and one that the database does not answer fails those of its trip only", async () => {
  const { near, database, trips } = openFar();
  await migrate(near);
  let isAway = true;
  const store = createSqlStore({
    database: {
      ...database,
      batch: (statements, options) => {
        if (isAway) throw new TypeError("away");
        return database.batch(statements, options);
      },
    },
  });
  await expect(store.loadInstance(WORKFLOW, "none")).rejects.toThrow("away");
  isAway = false;
  const again = store.loadInstance(WORKFLOW, "none");
  // Before the event loop's next turn.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(trips.open).toBe(1);
  expect(await again).toBeNull();
  await database.close();
});
