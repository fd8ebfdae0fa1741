/** Last statement of a commit: removes the tasks of instances that are terminal or paused by it. */
import type { Dialect } from "@escapement/db";
import { INSTANCE_OF_LEASE, leasedRows } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, TASK } from "./tables.ts";

export const commitFinish = (dialect: Dialect): string =>
  `delete from ${TASK} where "id" in (select l."taskId" from ${leasedRows(dialect, [])} ` +
  `join ${INSTANCE} as i on ${INSTANCE_OF_LEASE} ` +
  `where ${filter(`i."status" in ('paused', 'complete', 'errored', 'terminated')`)})`;
