/** Writes the next state of a commit's instances, unless the run goes on. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { endRequestNow } from "./deadline.ts";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { isInstanceOfLease, LEASE_COLUMNS, leasedRows } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { INSTANCE } from "./tables.ts";

/** Absent keys are null. */
export interface InstanceOutcomeRow extends LeasedRow {
  readonly toStatus: string;
  /** A requested pause wins over `toStatus`. */
  readonly yieldsToPause: boolean;
  readonly isTerminal: boolean;
  readonly endedBy: string;
  readonly output?: string | undefined;
  readonly errorName?: string | undefined;
  readonly errorMessage?: string | undefined;
  /** See `instance-detail.ts`. If the run is released (`queued`), the instance keeps its text. */
  readonly errorDetail?: string | undefined;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "toStatus", type: "text" },
  { name: "yieldsToPause", type: "boolean" },
  { name: "isTerminal", type: "boolean" },
  { name: "endedBy", type: "text" },
  { name: "output", type: "text" },
  { name: "errorName", type: "text" },
  { name: "errorMessage", type: "text" },
  { name: "errorDetail", type: "text" },
];

export const commitInstances: RowsStatement = { columns: COLUMNS, text: updateInstances };

function updateInstances(dialect: Dialect, giving: Giving): string {
  const { now } = dialect;
  return (
    `update ${INSTANCE} as i set ` +
    `"status" = case when l."yieldsToPause" and i."pauseRequested" then 'paused' else l."toStatus" end, ` +
    `"endRequested" = case when l."isTerminal" then i."endRequested" else ${endRequestNow(dialect, "i")} end, ` +
    `"pauseRequested" = false, "updatedAt" = ${now}, ` +
    `"completedAt" = case when l."isTerminal" then ${now} end, ` +
    `"output" = l."output", "errorName" = l."errorName", "errorMessage" = l."errorMessage", ` +
    `"errorDetail" = case when l."toStatus" = 'queued' then i."errorDetail" else l."errorDetail" end, "endedBy" = l."endedBy", "_version" = i."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} where ${isInstanceOfLease(dialect)}`
  );
}
