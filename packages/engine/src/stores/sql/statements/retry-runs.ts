/**
 * Begins a failed run again as the next run of its instance. The first statement decides: if the run was asked to end
 * meanwhile, it is released instead. The later statements recognise the new run because the instance's run number is one above
 * the task's.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { dueByDeadline, endRequestNow } from "./deadline.ts";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { isInstanceOfLease, LEASE_COLUMNS, leasedRows, runOfLease } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, TASK } from "./tables.ts";

/** Absent keys are null. */
export interface RetryRunRow extends LeasedRow {
  /** One of the two is given. */
  readonly dueAt?: number;
  readonly dueInMs?: number;
  readonly hasNewKeys: boolean;
  readonly errorName: string;
  readonly errorMessage: string;
  readonly errorDetail?: string | undefined;
  readonly endedBy: string;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "dueAt", type: "bigint" },
  { name: "dueInMs", type: "bigint" },
  { name: "hasNewKeys", type: "boolean" },
  { name: "errorName", type: "text" },
  { name: "errorMessage", type: "text" },
  { name: "errorDetail", type: "text" },
  { name: "endedBy", type: "text" },
];

export const retryInstances: RowsStatement = { columns: COLUMNS, text: updateInstances };

function updateInstances(dialect: Dialect, giving: Giving): string {
  const { now } = dialect;
  const asked = endRequestNow(dialect, "i");
  const next = (value: string, otherwise: string): string =>
    `case when ${asked} is null then ${value} else ${otherwise} end`;
  const due = `coalesce(${dialect.fromMs(`l."dueAt"`)}, ${dialect.plusMs(now, `l."dueInMs"`)})`;
  const keys = `coalesce(i."keyNumber", i."runNumber") + case when l."hasNewKeys" then 1 else 0 end`;
  const ofError = ["errorName", "errorMessage", "errorDetail"].map(
    (name) => `"${name}" = ${next(`l."${name}"`, "null")}, `,
  );
  return (
    `update ${INSTANCE} as i set "status" = case when i."pauseRequested" then 'paused' else 'queued' end, ` +
    `"pauseRequested" = false, "endRequested" = ${asked}, ` +
    `"runNumber" = i."runNumber" + ${next("1", "0")}, "keyNumber" = ${next(keys, `i."keyNumber"`)}, ` +
    `"retryCount" = coalesce(i."retryCount", 0) + ${next("1", "0")}, ` +
    `"startedAt" = ${next(`case when ${due} > ${now} then ${due} end`, `i."startedAt"`)}, ` +
    `${ofError.join("")}"endedBy" = l."endedBy", "updatedAt" = ${now}, "_version" = i."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} where ${isInstanceOfLease(dialect)}`
  );
}

const isInstance = (dialect: Dialect): string => dialect.isKey(`i."id"`, `l."instanceRowId"`);

const isRetried = (dialect: Dialect): string =>
  `${isInstance(dialect)} and ${filter(`i."runNumber" = l."leaseRunNumber" + 1`)}`;

/** Moves events that no step has taken to the next run, except for events that are for one step: their types contain a space. */
export const retryEvents: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `update ${EVENT} as e set "runNumber" = l."leaseRunNumber" + 1, "_version" = e."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
    `where ${runOfLease("e")} and e."deliveredAt" is null and ${filter(`e."type" not like '% %'`)} ` +
    `and exists (select 1 from ${INSTANCE} as i where ${isRetried(dialect)})`,
};

/** Removes the tasks of runs that are paused. */
export const retryPaused: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TASK} where ${dialect.isKeyAmong(
      `"id"`,
      `select l."taskId" from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
        `join ${INSTANCE} as i on ${isInstance(dialect)} where ${filter(`i."status" = 'paused'`)}`,
    )}`,
};

/** Rows: task id and due time. The task stays, so that a repeat of the commit finds it. */
export const retryTasks: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) => {
    const { now } = dialect;
    const retried = (value: string, otherwise: string): string =>
      `case when l."nextRunNumber" > t."runNumber" then ${value} else ${otherwise} end`;
    const due = dialect.least(`coalesce(l."startsAt", ${now})`, `l."dueByDeadline"`);
    return (
      `update ${TASK} as t set "status" = 'pending', "kind" = ${retried("'run'", "'resume'")}, ` +
      `"priority" = ${retried("1", "0")}, "runAt" = ${retried(due, now)}, "runNumber" = l."nextRunNumber", ` +
      `"attempts" = 0, "lockOwner" = null, "lockedUntil" = null, "historyBytes" = null, ` +
      `"updatedAt" = ${now}, "_version" = t."_version" + 1 ` +
      `from (select l."taskId", i."runNumber" as "nextRunNumber", i."startedAt" as "startsAt", ` +
      `${dueByDeadline("i")} as "dueByDeadline" ` +
      `from ${leasedRows(dialect, giving, { columns: LEASE_COLUMNS })} ` +
      `join ${INSTANCE} as i on ${isInstance(dialect)}) as l where ${dialect.isKey(`t."id"`, `l."taskId"`)} ` +
      `returning "id", ${dialect.toMs(`"runAt"`)} as "dueAt"`
    );
  },
};
