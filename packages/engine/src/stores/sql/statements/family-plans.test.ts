/** How SQLite finds a family if its statistics say that one instance has all the children. */
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { migrate } from "../index.ts";
import { lockFamily, selectLive } from "./delete.ts";
import { selectFamily, selectMark } from "./move-out.ts";
import { ENDED } from "./retain.ts";

const CHILDREN = 300;

it("S8-005 each member's children are looked up, however large one family is", async () => {
  const connection = new Libsql(":memory:");
  const database = createSqliteDatabase(connection);
  await migrate(database);
  connection.exec(
    `with recursive c(n) as (select 0 union all select n + 1 from c where n < ${CHILDREN}) ` +
      `insert into "workflow_instance_workflows" ("id", "instanceId", "workflowName", "status", "createdAt", "updatedAt", ` +
      `"params", "pauseRequested", "runNumber", "parentWorkflowName", "parentInstanceId", "parentRunNumber") ` +
      `select n, 'i-' || n, case when n = 0 then 'P' else 'C' end, 'complete', n, n, '{}', 0, 1, ` +
      `case when n > 0 then 'P' end, case when n > 0 then 'i-0' end, case when n > 0 then 1 end from c`,
  );
  connection.exec("analyze");
  const refs = JSON.stringify([{ workflowName: "P", instanceId: "i-0" }]);
  const statements = [
    [selectFamily, "P", "i-0", 1000],
    [selectMark, "P", "i-0"],
    [lockFamily, "P", "i-0"],
    [selectLive, "P", "i-0"],
    [ENDED.going.weigh, refs],
    [ENDED.going.instances, refs],
  ] as const;
  for (const [toText, ...values] of statements) {
    const text = toText(database.dialect);
    const plan = connection.prepare(`explain query plan ${text}`).all(...values);
    const steps = (plan as readonly { readonly detail: string }[]).map(({ detail }) => detail);
    expect(steps, text).toContainEqual(expect.stringMatching(/^SEARCH c /u));
    expect(steps, text).not.toContainEqual(expect.stringMatching(/^SCAN c /u));
  }
  await database.close();
});
