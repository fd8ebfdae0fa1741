/** Opens again the steps that `retry` resets: `core/decide/reopen.ts` as one statement, because a verb is one trip. */
import type { Dialect } from "@escapement/db/client";
import type { DurationMs } from "../../../core/model/records.ts";
import { UNDO_NAME } from "../../../core/step-key.ts";
import { FAILED_STEP } from "../instance-detail.ts";
import { isMeant, isNotRolledBack } from "./control.ts";
import { jsonString } from "./json-string.ts";
import { isInstance } from "./lock.ts";
import { INSTANCE, isScope, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

const CLOSED = `{"code":"STEP_NOT_AWAITED"`;

/** Condition: the run ended before the step did. */
const isClosed = (alias: string): string =>
  `substr(coalesce(${alias}."errorDetail", ''), 1, ${CLOSED.length}) = '${CLOSED}'`;

const CANCELLED = `{"code":"CANCELLED"`;
const DEADLINE = `{"code":"DEADLINE_EXCEEDED"`;

/** Condition: the step was ended because the run's deadline had passed. */
const isOfDeadline =
  `substr(r."detail", 1, ${DEADLINE.length}) = '${DEADLINE}' and ` +
  `substr(coalesce(s."errorDetail", ''), 1, ${CANCELLED.length}) = '${CANCELLED}'`;

/** Condition: the detail of the run's error has a member of this value, at any depth. */
const hasMember = (name: string, value: string): string =>
  `replace(r."detail", '"${name}":' || ${jsonString(value)}, '') <> r."detail"`;

/** Condition: the run's error names this step as its origin. */
const isRecorded = (step: string): string => {
  const end = `'${FAILED_STEP}' || ${jsonString(`${step}."stepKey"`)} || '}'`;
  const length = `length(r."detail") - length(${end})`;
  return `(${length} > 0 and substr(r."detail", ${length} + 1) = ${end})`;
};

/** Expression: the key up to its last slash, without the slash; empty: there is none. Uses only functions that all databases have. */
const outer = (key: string): string => {
  const folder = `rtrim(${key}, replace(${key}, '/', ''))`;
  return `substr(${folder}, 1, case when ${folder} = '' then 0 else length(${folder}) - 1 end)`;
};

/** The run, if it is to be retried. */
const failedRun = (dialect: Dialect): string =>
  `select i."workflowName", i."instanceId", i."runNumber", i."errorName", i."errorMessage", ` +
  `coalesce(i."errorDetail", '') as "detail" from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and ${isMeant(dialect, "i")} and i."status" = 'errored' and ${isNotRolledBack("i")}`;

/** Steps that may be reset, and whether the run's error came from them or names them. */
const endedSteps = (dialect: Dialect): string =>
  `select s."id", s."stepKey", s."type", s."settledOrder", ` +
  `case when s."status" = 'cancelled' then 'cancelled' when ${isClosed("s")} then 'closed' when ${isOfDeadline} then 'told' ` +
  `else 'failed' end as "end", ` +
  `case when ${isRecorded("s")} then 3 when (s."errorName" = r."errorName" and s."errorMessage" = r."errorMessage") ` +
  `or ${hasMember("message", `s."errorMessage"`)} then case when ${hasMember("stepKey", `s."stepKey"`)} then 2 ` +
  `when ${isScope("s")} or r."detail" = '' or substr(r."detail", 1, 9) = '{"code":"' then 1 else 0 end else 0 end as "told" ` +
  `from run as r ${dialect.joinEach(STEP, "s", sameRun("s", "r"), UNIQUE_STEP)} where s."status" in ('errored', 'cancelled')`;

/** The places around each step, from the innermost to the run itself, and the part of the place that the step is in. */
const placesOf =
  `select e.*, e."stepKey" as "part", ${outer(`e."stepKey"`)} as "path" from ended as e ` +
  `union all select p."id", p."stepKey", p."type", p."settledOrder", p."end", p."told", p."path", ${outer(`p."path"`)} ` +
  `from place as p where p."path" <> ''`;

/** The places together with the scopes' own rows, which have no id. On Postgres, a join would be a separate walk for each place. */
const signs = (dialect: Dialect): string =>
  `select p.*, null as "scopeType", 0 as "isDone" from place as p union all ` +
  `select null, null, null, null, null, null, null, s."stepKey", s."type", case when s."status" = 'completed' then 1 else 0 end ` +
  `from run as r ${dialect.joinEach(STEP, "s", sameRun("s", "r"), UNIQUE_STEP)} where ${isScope("s")}`;

const markedPlaces =
  `select g.*, max(g."scopeType") over (partition by g."path") as "scope", ` +
  `max(g."isDone") over (partition by g."path") as "isKept" from sign as g`;

/** The places that are scopes, and the run; 1 is the innermost. */
const scopesOf =
  `select m.*, case when m."scope" = 'loop' then m."path" else m."part" end as "branch", ` +
  `row_number() over (partition by m."id" order by length(m."path") desc) as "depth", ` +
  `max(m."isKept") over (partition by m."id") as "isInKept" from marked as m ` +
  `where m."id" is not null and (m."path" = '' or m."scope" is not null)`;

const ROLLBACK_FAILED = `{"code":"ROLLBACK_FAILED"`;

/** Condition: the step may be the undo that failed the run. */
const isUndo = (step: string): string =>
  `(substr(${step}."stepKey", length(${step}."stepKey") - 4) = '/${UNDO_NAME}' ` +
  `and exists (select 1 from run as r where substr(r."detail", 1, ${ROLLBACK_FAILED.length}) = '${ROLLBACK_FAILED}'))`;

/** Steps that are in no completed scope, or undo one that is, and whether their branch of the innermost scope ended with them. */
const undoableSteps =
  `select c."id", c."stepKey", c."type", c."settledOrder", c."end", c."told", c."path" as "scope", ` +
  `case when c."end" = 'cancelled' or c."settledOrder" = max(case when c."end" in ('failed', 'told') then c."settledOrder" end) ` +
  `over (partition by c."path", c."branch") then 1 else 0 end as "isEnd" from scoped as c where c."depth" = 1 ` +
  `and (c."isInKept" = 0 or ${isUndo("c")})`;

/** The order of the first failure that led to the run's error; none: no step failed the run. */
const failure =
  `select coalesce(min(case when u."end" = 'told' then u."settledOrder" end), ` +
  `min(case when u."told" = 3 then u."settledOrder" end), ` +
  `min(case when u."told" = 2 then u."settledOrder" end), ` +
  `max(case when u."told" = 1 then u."settledOrder" end)) as "from" from undoable as u where u."end" in ('failed', 'told')`;

/** Condition: the step is reset, whatever scope it is in. */
const IS_BASE = `(u."end" = 'closed' or u."settledOrder" >= coalesce(f."from", u."settledOrder" + 1))`;

const undoneSteps =
  `select u."id", u."stepKey", u."type" from undoable as u cross join failure as f where ${IS_BASE} ` +
  `union select u."id", u."stepKey", u."type" from undone as d join undoable as u on u."scope" = d."stepKey" ` +
  `cross join failure as f where ${isScope("d")} and u."isEnd" = 1 and not ${IS_BASE}`;

/** Parameters: as those of a command. @param delayMs after which the run goes on */
export function reopenSteps(dialect: Dialect, delayMs: DurationMs = 0): string {
  const parts = [
    ["run", failedRun(dialect)],
    ["ended", endedSteps(dialect)],
    ["place", placesOf],
    ["sign", signs(dialect)],
    ["marked", markedPlaces],
    ["scoped", scopesOf],
    ["undoable", undoableSteps],
    ["failure", failure],
    ["undone", undoneSteps],
  ];
  // Without this, a part would be computed again for each row that is compared with it.
  const kept = parts.map(([name, select]) => `${name} as materialized (${select})`);
  return (
    `with recursive ${kept.join(", ")} ` +
    `update ${STEP} set ${toOpen(dialect, delayMs)} where ${dialect.isKeyAmong(`"id"`, `select d."id" from undone as d`)}`
  );
}

/** What an open step is. */
export function toOpen({ now, plusMs, toMs }: Dialect, delayMs: DurationMs): string {
  const from = delayMs === 0 ? now : plusMs(now, String(delayMs));
  const hasFailed = `"status" = 'errored' and not (${isClosed(STEP)})`;
  const since = `case when ${hasFailed} then ${toMs(`"createdAt"`)} else ${toMs(`"updatedAt"`)} end`;
  const kept = (column: string): string =>
    `"${column}" = case when "type" = 'do' and ${hasFailed} then "${column}" end`;
  return [
    `"status" = case when "type" = 'loop' then 'running' when ${isScope(STEP)} or "type" in ('invoke', 'waitForTopic') then 'pending' else 'waiting' end`,
    `"attempts" = case when "type" <> 'invoke' then 0 when "status" in ('completed', 'pending') then "attempts" else "attempts" + 1 end, "lostAttempts" = 0, "settledOrder" = null, "startedKeys" = null`,
    `"nextRetryAt" = case when "type" = 'do' then ${from} end`,
    `"wakeAt" = case when "type" in ('waitForEvent', 'receive', 'waitForTopic') then ${plusMs(from, `(${toMs(`"wakeAt"`)} - ${since})`)} else "wakeAt" end`,
    `"result" = case when "type" = 'loop' then "result" end`,
    ...["errorName", "errorMessage", "errorDetail"].map(kept),
    `"updatedAt" = ${now}, "_version" = "_version" + 1`,
  ].join(", ");
}
