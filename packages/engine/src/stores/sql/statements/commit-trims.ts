/** Removes what a loop no longer needs: rows of old iterations, and events that those steps had taken. */
import type { JsonColumn } from "@escapement/db/client";
import { TRIMMED_EVENTS_KEPT_MS } from "../../../core/model/change.ts";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows, runOfLease } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

export interface TrimRow extends LeasedRow {
  readonly stepKey: string;
}

const COLUMNS: readonly JsonColumn[] = [...LEASE_COLUMNS, { name: "stepKey", type: "text" }];

/** One row per step. */
export const commitTrims: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `delete from ${STEP} where ${dialect.isKeyAmong(
      `"id"`,
      `select s."id" from ${leasedRows(dialect, giving, { columns: COLUMNS })} ` +
        dialect.joinEach(
          STEP,
          "s",
          `${runOfLease("s")} and s."stepKey" = l."stepKey"`,
          UNIQUE_STEP,
        ),
    )}`,
};

/** One row per run. It does not look at events that are younger than those to remove, because an event is sent before it is taken. */
export const commitTrimmedEvents: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) => {
    const old = dialect.plusMs(dialect.now, `(-${TRIMMED_EVENTS_KEPT_MS})`);
    const isOld = `e."createdAt" <= ${old} and ${filter(`e."deliveredAt" <= ${old} and e."consumedByStepKey" is not null`)}`;
    const isTaken = `exists (select 1 from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", "e")} and s."stepKey" = e."consumedByStepKey")`;
    return `delete from ${EVENT} where ${dialect.isKeyAmong(
      `"id"`,
      `select e."id" from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
        dialect.joinEach(EVENT, "e", `${runOfLease("e")} and ${isOld}`) +
        ` where not ${isTaken}`,
    )}`;
  },
};
