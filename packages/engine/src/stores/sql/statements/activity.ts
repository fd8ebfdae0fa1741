/** @module What the newest instances did over time, and what is due. Loaded with the first call. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { WAITS_SCANNED } from "../../../ports/overview.ts";
import { NEWEST } from "./lists.ts";
import { INSTANCE, INSTANCE_IDS, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";
import { firstOfEach } from "./task-ranges.ts";

const NAMES: readonly JsonColumn[] = [{ name: "name", type: "text" }];

/**
 * Parameters: names of workflows in the form for `firstOfEach`, how many instances of each to walk, milliseconds of a bucket,
 * how many buckets, how many instances to read waits of, and how many instances of all to look at. Rows: by kind and number of
 * the bucket, the count, and the median, 95th percentile and maximum of the time that started instances had waited, or of the
 * lateness of waits. A row of the kind `cut` says that a walk ended before its workflow did: the first instant that it saw.
 */
export function measureActivity(dialect: Dialect): string {
  const bucketMs = `cast(${dialect.param(3)} as bigint)`;
  const bucket = (instant: string): string => `l."${instant}" / ${bucketMs}`;
  const isSince = (instant: string): string =>
    `l."${instant}" >= (select f."at" from "first" as f)`;
  const none = ["median", "p95", "longest"].map((name) => `cast(null as bigint) as "${name}"`);
  const count = (kind: string, instant: string): string =>
    `select e."kind", e."bucket", count(*) as "count", ${none.join(", ")} from (` +
    `select ${kind} as "kind", ${bucket(instant)} as "bucket" from looked as l ` +
    `where ${isSince(instant)}) as e group by e."kind", e."bucket"`;
  const ended = `case when l."status" in ('complete', 'errored', 'terminated') then l."status" else 'other' end`;
  const waited =
    `select ${bucket("startedAt")} as "bucket", l."startedAt" - l."createdAt" as "waitMs" from looked as l ` +
    `where ${isSince("startedAt")}`;
  const late =
    `select ${bucket("updatedAt")} as "bucket", ${lateness(dialect)} as "waitMs" from (${firstSteps(dialect)}) as l ` +
    `where ${isWaitOver(dialect)} and ${isSince("updatedAt")}`;
  return (
    `with ${firstInstant(dialect, bucketMs)}, walked as materialized (${walk(dialect)}), ` +
    `"cut" as materialized (${cutOf(dialect)}), looked as materialized (${newestOfAll(dialect)}), ` +
    `sampled as materialized (${sample(dialect, isSince("updatedAt"))}) ` +
    `${count(`'created'`, "createdAt")} union all ${count(ended, "completedAt")} union all ` +
    `${spread("started", waited)} union all ${spread("waits", late)} union all ` +
    `select 'cut', c."createdAt", 1, ${none.join(", ")} from (select max(o."createdAt") as "createdAt" from ` +
    `(select min(k."createdAt") as "createdAt", count(*) as "count", ${most(dialect, 2)} as "most" from walked as k ` +
    `group by k."name" union all select c."createdAt", c."count", ${most(dialect, 6)} from "cut" as c) as o ` +
    `where o."count" >= o."most") as c where c."createdAt" is not null`
  );
}

const most = (dialect: Dialect, place: number): string => `cast(${dialect.param(place)} as bigint)`;

/** The times of creation of the newest instances of each workflow, from the index of lists alone. */
function walk(dialect: Dialect): string {
  const rows =
    `select ${dialect.toMs(`r."createdAt"`)} as "createdAt" from ${INSTANCE} as r${dialect.byIndex(NEWEST)} ` +
    `where r."workflowName" = w."name" order by r."createdAt" desc limit ${dialect.param(2)}`;
  const from = dialect.jsonRows(dialect.param(1), "w", NAMES);
  if (dialect.name === "postgres")
    return `select w."name", m."createdAt" from ${from} cross join lateral (${rows}) as m`;
  const instants = `(select json_group_array(n."createdAt") from (${rows}) as n)`;
  return `select w."name", m.value as "createdAt" from ${from} cross join json_each(${instants}) as m`;
}

/** The first instant among the newest instances of all workflows, and how many there are. */
const cutOf = (dialect: Dialect): string =>
  `select min(n."createdAt") as "createdAt", count(*) as "count" from ` +
  `(select k."createdAt" from walked as k order by k."createdAt" desc limit ${most(dialect, 6)}) as n`;

/** The start of the first bucket, computed once and not for every row. */
const firstInstant = ({ nowMs, param }: Dialect, bucketMs: string): string =>
  `"first" as materialized (select (${nowMs} / ${bucketMs} - cast(${param(4)} as bigint) + 1) * ${bucketMs} as "at")`;

/** The percentiles by bucket, by nearest rank. */
function spread(kind: string, durations: string): string {
  const ranked =
    `select s."bucket", s."waitMs", row_number() over (partition by s."bucket" order by s."waitMs") as "rank", ` +
    `count(*) over (partition by s."bucket") as "of" from (${durations}) as s`;
  const by = (percent: number): string =>
    `min(case when k."rank" * 100 >= k."of" * ${percent} then k."waitMs" end)`;
  return (
    `select '${kind}', k."bucket", count(*), ${by(50)}, ${by(95)}, max(k."waitMs") ` +
    `from (${ranked}) as k group by k."bucket"`
  );
}

/** Every n-th row, so that there are no more than asked for. */
function sample(dialect: Dialect, isAsked: string): string {
  const sampled = most(dialect, 5);
  const numbered =
    `select l."id", row_number() over () as "place", count(*) over () as "of" ` +
    `from looked as l where ${isAsked}`;
  const chosen = `select n."id" from (${numbered}) as n where n."place" % ((n."of" + ${sampled} - 1) / ${sampled}) = 0`;
  return (
    `select r."workflowName", r."instanceId", r."runNumber" from (${chosen}) as c ` +
    dialect.joinEach(INSTANCE, "r", dialect.isKey(`r."id"`, `c."id"`), INSTANCE_IDS)
  );
}

/** The lateness of a wait that is over, as `latenessOf` computes it. */
function lateness(dialect: Dialect): string {
  const since = dialect.greatest(`l."createdAt"`, `coalesce(l."wakeAt", ${arrival(dialect)})`);
  return dialect.greatest("0", `l."updatedAt" - ${since}`);
}

const isWaitOver = (dialect: Dialect): string =>
  `l."status" = 'completed' and l."createdAt" < l."updatedAt" and coalesce(l."wakeAt", ${arrival(dialect)}) is not null`;

const ARRIVAL = `","createdAt":`;

/** The time of the event that a wait has stored: see `toEventResult`. */
const arrival = ({ name }: Dialect): string =>
  name === "postgres"
    ? `cast(substring(split_part(l."head", '${ARRIVAL}', 2) from '^[0-9]{1,15}') as bigint)`
    : `case when instr(l."head", '${ARRIVAL}') > 0 then ` +
      `cast(substr(l."head", instr(l."head", '${ARRIVAL}') + ${ARRIVAL.length}, 15) as integer) end`;

/** How many characters of a wait's result are read: enough for the time of its event. */
const HEAD_LENGTH = 1000;

/** The first steps of each instance. `wakeAt` is for sleeps, `head` for waits for an event. */
function firstSteps(dialect: Dialect): string {
  const ms = (name: string): string => dialect.toMs(`r."${name}"`);
  const ofType = (type: string, value: string): string =>
    `case when r."type" = '${type}' then ${value} end`;
  return ofEach(dialect, {
    from: "sampled as q",
    table: STEP,
    columns:
      `r."status", ${ms("createdAt")} as "createdAt", ${ms("updatedAt")} as "updatedAt", ` +
      `${ofType("sleep", ms("wakeAt"))} as "wakeAt", ` +
      `${ofType("waitForEvent", `substr(r."result", 1, ${HEAD_LENGTH})`)} as "head"`,
    index: UNIQUE_STEP,
    first: (of) => `${sameRun(of, "q")} order by ${of}."stepKey" limit ${WAITS_SCANNED.steps}`,
  });
}

/** The newest instances of all workflows, by the same index. `startedAt` is the time of the first claim. */
function newestOfAll(dialect: Dialect): string {
  const ms = (name: string): string => dialect.toMs(`r."${name}"`);
  const hasBegun = `r."runNumber" = 1 and r."startedAt" <= r."updatedAt"`;
  const since = dialect.fromMs(`select c."createdAt" from "cut" as c`);
  const rows = ofEach(dialect, {
    from: dialect.jsonRows(dialect.param(1), "w", NAMES),
    table: INSTANCE,
    columns:
      `r."id", r."status", ${ms("createdAt")} as "createdAt", ${ms("updatedAt")} as "updatedAt", ` +
      `case when ${hasBegun} then ${ms("startedAt")} end as "startedAt", ${ms("completedAt")} as "completedAt"`,
    index: NEWEST,
    first: (of) =>
      `${of}."workflowName" = w."name" and ${of}."createdAt" >= ${since} ` +
      `order by ${of}."createdAt" desc limit ${dialect.param(2)}`,
  });
  // Many may have the first instant.
  return `${rows} limit ${most(dialect, 6)}`;
}

interface Each {
  /** FROM item. */
  readonly from: string;
  readonly table: string;
  /** Columns of its rows, which are called `r`. */
  readonly columns: string;
  readonly index: string;
  /** Condition, order and limit for each row of `from`. @param of the alias of a row in it */
  readonly first: (of: string) => string;
}

/** The first rows of a table for each row of another one. SQLite has no lateral joins. */
function ofEach(dialect: Dialect, { from, table, columns, index, first }: Each): string {
  const byIndex = dialect.byIndex(index);
  if (dialect.name === "postgres") {
    const rows = `select ${columns} from ${table} as r${byIndex} where ${first("r")}`;
    return `select m.* from ${from} cross join lateral (${rows}) as m`;
  }
  const keys = `select x."_internalId" from ${table} as x${byIndex} where ${first("x")}`;
  // Otherwise it would build an automatic index over all rows.
  return `select ${columns} from ${from} cross join ${table} as r not indexed where r."_internalId" in (${keys})`;
}

/** Parameters: names as for `measureActivity`, and how many of each to count. Rows: the due tasks of each workflow that has some. */
export function countDue(dialect: Dialect): string {
  const due = [0, 1].map((priority) => {
    const rows = firstOfEach(dialect, 1, {
      status: "pending",
      orderBy: "runAt",
      where: `t."priority" = ${priority} and t."runAt" <= ${dialect.now}`,
      columns: ["workflowName", "runAt"],
      limit: dialect.param(2),
    });
    return `select * from (${rows}) as d${priority}`;
  });
  return (
    `select u."workflowName", count(*) as "count", min(${dialect.toMs(`u."runAt"`)}) as "oldestAt" ` +
    `from (${due.join(" union all ")}) as u group by u."workflowName"`
  );
}
