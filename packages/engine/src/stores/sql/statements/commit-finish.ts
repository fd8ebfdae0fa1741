/** Last statement of a commit: removes the tasks of runs that ended. */
import type { RowsStatement } from "./given-rows.ts";
import { givenRows } from "./given-rows.ts";
import { IS_INSTANCE_OF_LEASE, LEASE_COLUMNS, leasedRows, leaseHeld } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, TASK } from "./tables.ts";

/** For outcomes that always end the run here: complete, fail, pause. */
export const commitEnded: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TASK} where "id" in (select t."id" from ${givenRows(dialect, giving, LEASE_COLUMNS)} ` +
    `join ${TASK} as t on ${leaseHeld(giving)})`,
};

/** For outcomes that a requested pause turns into one: park, release. */
export const commitPaused: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TASK} where "id" in (select l."taskId" from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
    `join ${INSTANCE} as i on ${IS_INSTANCE_OF_LEASE} ` +
    `where ${filter(`i."status" = 'paused'`)})`,
};
