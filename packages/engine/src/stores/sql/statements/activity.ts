/** @module How the newest instances fared over time, and what is due. Loaded with the first look. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { NEWEST } from "./lists.ts";
import { INSTANCE } from "./tables.ts";
import { firstOfEach } from "./task-ranges.ts";

const NAMES: readonly JsonColumn[] = [{ name: "name", type: "text" }];

/**
 * Parameters: names of workflows as `firstOfEach` takes them, instances of each that are looked at, milliseconds of a bucket, and how many buckets. Rows: by
 * kind and number of the bucket, how many, and of those that started how long half of them, 95 of 100 and all of them had waited; of the
 * kind `cut`, where a walk ended before its workflow did: the first instant that it saw.
 */
export function measureActivity(dialect: Dialect): string {
  const bucketMs = `cast(${dialect.param(3)} as bigint)`;
  const first = `${dialect.nowMs} / ${bucketMs} - cast(${dialect.param(4)} as bigint) + 1`;
  const bucket = (instant: string): string => `l."${instant}" / ${bucketMs}`;
  const none = ["median", "p95", "longest"].map((name) => `cast(null as bigint) as "${name}"`);
  const count = (kind: string, instant: string): string =>
    `select e."kind", e."bucket", count(*) as "count", ${none.join(", ")} from (` +
    `select ${kind} as "kind", ${bucket(instant)} as "bucket" from looked as l ` +
    `where ${bucket(instant)} >= ${first}) as e group by e."kind", e."bucket"`;
  const ended = `case when l."status" in ('complete', 'errored', 'terminated') then l."status" else 'other' end`;
  return (
    `with looked as materialized (${newestOfEach(dialect)}) ` +
    `${count(`'created'`, "createdAt")} union all ${count(ended, "completedAt")} union all ` +
    `${waited(bucket("startedAt"), first)} union all ` +
    `select 'cut', c."createdAt", 1, ${none.join(", ")} from (select max(o."createdAt") as "createdAt" from ` +
    `(select min(l."createdAt") as "createdAt", count(*) as "count" from looked as l group by l."workflowName") as o ` +
    `where o."count" >= cast(${dialect.param(2)} as bigint)) as c where c."createdAt" is not null`
  );
}

/** Of instances that were claimed for the first time: how long they had waited, by the nearest rank. */
function waited(bucket: string, first: string): string {
  const ranked =
    `select s."bucket", s."waitMs", row_number() over (partition by s."bucket" order by s."waitMs") as "rank", ` +
    `count(*) over (partition by s."bucket") as "of" from (` +
    `select ${bucket} as "bucket", l."startedAt" - l."createdAt" as "waitMs" from looked as l ` +
    `where l."hasBegun" = 1 and ${bucket} >= ${first}) as s`;
  const by = (percent: number): string =>
    `min(case when k."rank" * 100 >= k."of" * ${percent} then k."waitMs" end)`;
  return (
    `select 'started', k."bucket", count(*), ${by(50)}, ${by(95)}, max(k."waitMs") ` +
    `from (${ranked}) as k group by k."bucket"`
  );
}

const LOOKED = ["workflowName", "status", "createdAt", "startedAt", "completedAt", "hasBegun"];

/** The newest instances of each workflow, by the index that every list goes by. */
function newestOfEach(dialect: Dialect): string {
  const ms = (name: string): string => `${dialect.toMs(`r."${name}"`)} as "${name}"`;
  const hasBegun = `r."runNumber" = 1 and r."startedAt" <= r."updatedAt"`;
  const rows = (name: string): string =>
    `select r."workflowName", r."status", ${["createdAt", "startedAt", "completedAt"].map(ms).join(", ")}, ` +
    `case when ${hasBegun} then 1 else 0 end as "hasBegun" from ${INSTANCE} as r${dialect.byIndex(NEWEST)} ` +
    `where r."workflowName" = ${name} order by r."createdAt" desc, r."id" desc limit ${dialect.param(2)}`;
  const names = dialect.jsonRows(dialect.param(1), "w", NAMES);
  if (dialect.name === "postgres")
    return `select m.* from ${names} cross join lateral (${rows(`w."name"`)}) as m`;
  const read = LOOKED.map((name, place) => `m.value->>${place} as "${name}"`).join(", ");
  const array = LOOKED.map((name) => `n."${name}"`).join(", ");
  return (
    `select ${read} from ${names} cross join ` +
    `json_each((select json_group_array(json_array(${array})) from (${rows(`w."name"`)}) as n)) as m`
  );
}

/** Parameters: names as of `measureActivity`, and how many of each are counted. Rows: what is due of each workflow that has some. */
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
