/** Marks events as taken by a step. An event that another step has taken stays with that step. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows, runOfLease } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT } from "./tables.ts";

export interface EventConsumedRow extends LeasedRow {
  readonly eventId: string;
  readonly stepKey: string;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "eventId", type: "text" },
  { name: "stepKey", type: "text" },
];

export const commitEvents: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    consumeEvents(
      dialect,
      leasedRows(dialect, giving, { columns: COLUMNS }),
      (name) => `l."${name}"`,
    ),
};

/** @param given gives the expression for a column of a row */
export const consumeEvents = (
  dialect: Dialect,
  leases: string,
  given: (name: "eventId" | "stepKey") => string,
): string =>
  `update ${EVENT} as e set "deliveredAt" = ${dialect.now}, ` +
  `"consumedByStepKey" = ${given("stepKey")}, "_version" = e."_version" + 1 from ${leases} ` +
  `where ${dialect.isKey(`e."id"`, given("eventId"))} and ${filter(`${runOfLease("e")} and e."deliveredAt" is null`)}`;
