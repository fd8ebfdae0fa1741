/** Last statement of a commit: removes the tasks of runs that ended. */
import type { RowsStatement } from "./given-rows.ts";
import { givenRows } from "./given-rows.ts";
import { isInstanceOfLease, LEASE_COLUMNS, leasedRows, leaseHeld } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, TASK } from "./tables.ts";

/** For outcomes that always end the run here: complete, fail, terminate. */
export const commitEnded: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TASK} where ${dialect.isKeyAmong(
      `"id"`,
      `select t."id" from ${givenRows(dialect, giving, LEASE_COLUMNS)} join ${TASK} as t on ${leaseHeld(dialect, giving)}`,
    )}`,
};

/** For outcomes that become a pause if one was requested: park, release, pause. */
export const commitPaused: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TASK} where ${dialect.isKeyAmong(
      `"id"`,
      `select l."taskId" from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
        `join ${INSTANCE} as i on ${isInstanceOfLease(dialect)} where ${filter(`i."status" = 'paused'`)}`,
    )}`,
};
