/** A SQL store for the contract, with a time that tests move. */
import type { Database } from "@escapement/db";
import type { Store } from "../ports/store.ts";
import type { ForeignTable, StoreFixture } from "./store-contract/subject.ts";
import { withVirtualClock } from "./virtual-clock.ts";

/** One database, as several processes open it. */
export interface SqlServer {
  readonly open: () => Database;
  /** Removes the database. */
  readonly remove: () => Promise<void> | void;
  readonly toStore: (database: Database) => Store;
  /** Called before the first store is created. @default nothing */
  readonly prepare?: (database: Database) => Promise<unknown>;
}

/** Opens it, and provides what the contract reads without the store. */
export async function createSqlStoreFixture({
  open,
  remove,
  toStore,
  prepare,
}: SqlServer): Promise<StoreFixture> {
  const plain = open();
  await prepare?.(plain);
  const { database, clock } = await withVirtualClock(plain);
  const { dialect } = database;
  const [name, id, run, at] = [1, 2, 3, 4].map((position) => dialect.param(position));
  const store = toStore(database);
  return {
    store,
    clock,
    foreignTable: await createForeignTable(plain),
    openAnother: async () => toStore((await withVirtualClock(open())).database),
    async countTasks(workflowName) {
      const text = `select 1 from "workflow_task_workflows" where "workflowName" = ${name}`;
      const result = await plain.batch([{ text, values: [workflowName] }]);
      return result.kind === "committed" ? (result.rows[0]?.length ?? 0) : Number.NaN;
    },
    async lockPendingTask({ workflowName, instanceId, runNumber }, lockedUntil) {
      const text =
        `update "workflow_task_workflows" set "lockedUntil" = ${dialect.fromMs(at ?? "")} ` +
        `where "workflowName" = ${name} and "instanceId" = ${id} and "runNumber" = ${run}`;
      await plain.batch([{ text, values: [workflowName, instanceId, runNumber, lockedUntil] }]);
    },
    async teardown() {
      await store.close();
      await remove();
    },
  };
}

async function createForeignTable(database: Database): Promise<ForeignTable> {
  const { dialect } = database;
  await database.batch([
    { text: `create table "foreign_key" ("key" text primary key)`, values: [] },
  ]);
  const key = dialect.param(1);
  return {
    insert: (value) => ({
      text: `insert into "foreign_key" ("key") values (${key}) returning "key"`,
      values: [value],
    }),
    async has(value) {
      const text = `select 1 as "one" from "foreign_key" where "key" = ${key}`;
      const result = await database.batch([{ text, values: [value] }]);
      return result.kind === "committed" && result.rows[0]?.length === 1;
    },
    wrong: { text: `select * from "no_such_table"`, values: [] },
    falseGuard: { text: dialect.guard("foreign-guard", "1 = 2"), values: [] },
    falseGuardName: "foreign-guard",
  };
}
