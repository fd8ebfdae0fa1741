/** Last statement of a commit: removes the tasks of instances that are terminal or paused by it. */
import type { Dialect } from "@escapement/db";
import { isInstanceOfLease, leasedRows } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, TASK } from "./tables.ts";

export const commitFinish = (dialect: Dialect): string =>
  `delete from ${TASK} where "id" in (select l."taskId" from ${leasedRows(dialect, [])} ` +
  `join ${INSTANCE} as i on ${isInstanceOfLease(dialect)} ` +
  `where ${filter(`i."status" in ('paused', 'complete', 'errored', 'terminated')`)})`;
