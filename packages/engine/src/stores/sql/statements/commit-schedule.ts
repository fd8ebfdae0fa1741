/** Releases leases and sets when the tasks are due (`park`, `release`), unless the instance was paused just now. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import type { EndRequest } from "../../../core/model/records.ts";
import { dueByDeadline } from "./deadline.ts";
import { asksForType } from "./event-types.ts";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { LEASE_COLUMNS, leasedRows, runOfLease } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { historyBytes } from "./step-weight.ts";
import { EVENT, sameRun, STEP, TASK } from "./tables.ts";

/** Due at the earliest of `dueAt`, the database's time plus `dueInMs`, and the run's deadline. At least one of the first two is given. */
export interface ScheduleRow extends LeasedRow {
  readonly kind: string;
  readonly dueAt?: number;
  readonly dueInMs?: number;
  /** An event above this sequence that an open wait waits for makes the task due at once. */
  readonly knownSequence: number;
  /** A different request to end also makes it due at once; absent: none is known. */
  readonly knownEndRequest?: EndRequest;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "kind", type: "text" },
  { name: "dueAt", type: "bigint" },
  { name: "dueInMs", type: "bigint" },
  { name: "knownSequence", type: "bigint" },
  { name: "knownEndRequest", type: "text" },
];

// An event may have arrived between the runner's last read and this commit, and nothing would wake the run for it.
const missedEvent =
  `exists (select 1 from ${EVENT} as e join ${STEP} as s on ${sameRun("s", "e")} ` +
  `and s."status" = 'waiting' and ${asksForType(`e."type"`)} ` +
  `where ${runOfLease("e")} and e."deliveredAt" is null and e."_internalId" > l."knownSequence")`;

// The same is true for a request to end that came meanwhile.
const MISSED_END_REQUEST = `coalesce(l."endRequested", '') <> coalesce(l."knownEndRequest", '')`;

/** One look at the instance, for everything that is needed of it. */
const OF_INSTANCE = [
  `i."status" as "instanceStatus"`,
  `i."endRequested"`,
  `${dueByDeadline("i")} as "deadlineAt"`,
];

/** Rows: task id and due time of each task that was scheduled. */
export const commitSchedule: RowsStatement = { columns: COLUMNS, text: scheduleTasks };

function scheduleTasks(dialect: Dialect, giving: Giving): string {
  const { now } = dialect;
  const asked = dialect.least(dialect.fromMs(`l."dueAt"`), dialect.plusMs(now, `l."dueInMs"`));
  const due = dialect.least(asked, `l."deadlineAt"`);
  const leased = leasedRows(dialect, giving, { columns: COLUMNS, ofInstance: OF_INSTANCE });
  return (
    `update ${TASK} as t set "status" = 'pending', "kind" = l."kind", "priority" = 0, ` +
    `"runAt" = case when ${MISSED_END_REQUEST} or ${missedEvent} then ${now} else ${due} end, ` +
    `"attempts" = 0, "lockOwner" = null, "lockedUntil" = null, ` +
    `"historyBytes" = ${dialect.least(historyBytes(dialect, "t"), "2147483647")}, ` +
    `"updatedAt" = ${now}, "_version" = t."_version" + 1 ` +
    `from ${leased} where ${dialect.isKey(`t."id"`, `l."taskId"`)} ` +
    `and ${filter(`coalesce(l."instanceStatus", '') <> 'paused'`)} ` +
    `returning "id", ${dialect.toMs(`"runAt"`)} as "dueAt"` +
    // Only for runs that a process releases because it stops or has no time left. A process that parks a run continues it itself.
    hint(dialect, "t", `l."kind" = 'resume'`, ", ")
  );
}
