/** @module Lists callbacks that runs wait for: instances in order, oldest first, with the open waits of each. Loaded with the first call. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { CALLBACK_WAITS } from "../../../ports/overview.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, sameRun, STEP } from "./tables.ts";

/** A walk along the instances of a workflow that have a status. */
export interface CallbackBranch {
  readonly workflowName: string;
  readonly status: string;
}

const BRANCH: readonly JsonColumn[] = [
  { name: "workflowName", type: "text" },
  { name: "status", type: "text" },
];

const WAITING = "idx_waiting_wakeAt_workflow_step_workflows";
const EVENT_ID = "unique_eventId_workflow_event_workflows";

/**
 * Parameters: branches as JSON, limit, how many instances each walk looks at, then the position to continue after: instant, row
 * id, row id of the step. Rows: callbacks, with the position at which the walks ended early. Without a step, there is no
 * callback.
 */
export function listCallbacks(dialect: Dialect): string {
  const [limit, at, id, key] = [2, 4, 5, 6].map(dialect.param);
  const isOpen =
    `${sameRun("s", "l")} and s."status" = 'waiting' and s."waitEventType" is not null ` +
    `and s."waitEventType" = 'callback ' || s."stepKey"`;
  const isUsed =
    `exists (select 1 from ${EVENT} as e${dialect.byIndex(EVENT_ID)} where ${sameRun("e", "l")} ` +
    `and e."eventId" is not null and e."eventId" = s."waitEventType")`;
  const isBeyond = `exists (select 1 from "cut" as c where l."at" > c."at" or (l."at" = c."at" and l."id" > c."id"))`;
  const isPassed = `l."at" = cast(${at} as bigint) and l."id" = ${id} and s."id" <= ${key}`;
  const found =
    `select l."at", l."id", l."workflowName", l."instanceId", l."runNumber", l."status", s."id" as "stepId", s."stepKey", s."name", ` +
    `${dialect.toMs(`s."createdAt"`)} as "createdAt", ${dialect.toMs(`s."wakeAt"`)} as "wakeAt" ` +
    `from "looked" as l ${dialect.joinEach(STEP, "s", isOpen, WAITING)} ` +
    `where not ${isBeyond} and not (${isPassed}) and ${filter(`not ${isUsed}`)} ` +
    `order by l."at", l."id", s."id" limit ${limit}`;
  return (
    `with "looked" as materialized (${looked(dialect)}), ` +
    `"weighed" as (${weighed(dialect)}), ` +
    // After the end of any walk that was cut short, rows may be missing. After the instance that has the last waits, none is read.
    `"cut" as materialized (select l."at", l."id" from "weighed" as l where l."isCut" = 1 or l."upTo" >= ${CALLBACK_WAITS.most} ` +
    `order by l."at", l."id" limit 1) ` +
    `select c."at" as "cutAt", c."id" as "cutId", q.* from (select 1 as "one") as o ` +
    `left join "cut" as c on true left join (${found}) as q on true order by q."at", q."id", q."stepId"`
  );
}

/** The instances with the number of open waits up to each. */
function weighed(dialect: Dialect): string {
  const { counted, many } = CALLBACK_WAITS;
  const waits =
    `select count(*) from (select 1 from ${STEP} as s${dialect.byIndex(WAITING)} where ${sameRun("s", "k")} ` +
    `and s."status" = 'waiting' and s."waitEventType" is not null limit ${counted}) as c`;
  return (
    `select l.*, sum(case when l."waits" = ${counted} then ${many} else l."waits" end) over (order by l."at", l."id") as "upTo" ` +
    `from (select k.*, (${waits}) as "waits" from "looked" as k) as l`
  );
}

const LOOKED = ["id", "at", "workflowName", "instanceId", "runNumber", "status", "isCut"];

/** The instances of every walk. The last one is marked if there may be more. */
function looked(dialect: Dialect): string {
  const most = dialect.param(3);
  const [at, id] = [dialect.fromMs(`cast(${dialect.param(4)} as bigint)`), dialect.param(5)];
  const isAfter =
    `r."createdAt" >= ${at} and (r."createdAt" <> ${at} or r."id" > ${id} ` +
    `or (r."id" = ${id} and ${dialect.param(6)} <> ''))`;
  const rows =
    `select r."id", ${dialect.toMs(`r."createdAt"`)} as "at", r."workflowName", r."instanceId", r."runNumber", r."status" ` +
    `from ${INSTANCE} as r where r."workflowName" = b."workflowName" and ${ofStatus(dialect, at)} and ${isAfter} ` +
    `order by ${dialect.name === "postgres" ? `r."status", ` : ""}r."createdAt", r."id" limit ${most}`;
  const marked = `select w.*, case when row_number() over (order by w."at", w."id") = ${most} then 1 else 0 end as "isCut" from (${rows}) as w`;
  const branches = dialect.jsonRows(dialect.param(1), "b", BRANCH);
  if (dialect.name === "postgres")
    return `select m.* from ${branches} cross join lateral (${marked}) as m`;
  const array = LOOKED.map((name) => `n."${name}"`).join(", ");
  const read = LOOKED.map((name, place) => `m.value->>${place} as "${name}"`).join(", ");
  return (
    `select ${read} from ${branches} cross join ` +
    `json_each((select json_group_array(json_array(${array})) from (${marked}) as n)) as m`
  );
}

/** Written as in lists by status, for the same reasons. */
const ofStatus = (dialect: Dialect, at: string): string =>
  dialect.name === "sqlite"
    ? `likelihood(r."status" = b."status", 0.0001)`
    : `(r."status", r."createdAt") >= (b."status", ${at}) and r."status" <= b."status"`;
