/**
 * Rewinds a run to a step. The event that records the rewind is written first, under all conditions. It is undelivered, and its
 * size is the order from which steps are removed. The later statements only act while it is in this state, and the last one
 * delivers it. So a call that arrives twice changes nothing the second time.
 */
import type { Dialect } from "@escapement/db/client";
import {
  MAX_REWINDS_TOLD,
  REWIND,
  toRewindEvent,
  toRewindPayload,
} from "../../../core/decide/rewind.ts";
import { UNDO_NAME } from "../../../core/step-key.ts";
import { type ControlStatements, isMeant, ruleStatements } from "./control.ts";
import { jsonString } from "./json-string.ts";
import { leaveChildren, type LeaveStatements } from "./leave-children.ts";
import { filter } from "./planner-hints.ts";
import { toOpen } from "./reopen-steps.ts";
import { hasStatusAmong } from "./demand.ts";
import { aimParts, IS_ALLOWED, isRemoved, isReopened } from "./rewind-aim.ts";
import { EVENT, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/** Select of the run that is being rewound, and of the order from which its steps are removed. */
const marked = (dialect: Dialect, position: number): string =>
  `select m."workflowName", m."instanceId", m."runNumber", m."sizeBytes" as "from" from ${EVENT} as m ` +
  `where m."id" = ${dialect.param(position)} and m."deliveredAt" is null`;

/** Rows of a table that belong to that run. */
const rowsOf = (
  dialect: Dialect,
  { table, alias, condition }: Readonly<Record<"table" | "alias" | "condition", string>>,
): string =>
  `select ${alias}."id" from (${marked(dialect, 1)}) as a ` +
  dialect.joinEach(table, alias, sameRun(alias, "a"), table === STEP ? UNIQUE_STEP : undefined) +
  ` where ${condition}`;

/**
 * Parameters: workflow, instance, run number or null, control key or null, step key, places around it, statuses or null, event row
 * id, event type.
 */
export const markRewind = (dialect: Dialect, keepsKeys: boolean): string =>
  `with ${aimParts(dialect, { stepKey: 5, around: 6 }, `${isMeant(dialect, "i")} and ${hasStatusAmong(dialect, "i", 7)}`)} ` +
  `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "sizeBytes", "createdAt") ` +
  `select ${dialect.param(8)}, r."workflowName", r."instanceId", r."runNumber", ${dialect.param(9)}, ` +
  `'${toRewindPayload(`' || (select count(*) from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", "r")} and ${isRemoved(dialect, "s", `a."from"`)}) || '`, keepsKeys)}', ` +
  `a."from", ${dialect.clock} ` +
  `from run as r cross join aim as a where ${IS_ALLOWED} on conflict do nothing`;

/** Parameter of this and of those that follow: event row id. */
export function returnEvents(dialect: Dialect): string {
  const step = (condition: string): string =>
    `exists (select 1 from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", "e")} and ${condition})`;
  const isTaker = `s."stepKey" = e."consumedByStepKey"`;
  const removed = isRemoved(dialect, "s", `a."from"`);
  const inLoop = `s."type" = 'loop' and substr(e."consumedByStepKey", 1, length(s."stepKey") + 1) = s."stepKey" || '/'`;
  const condition =
    `e."consumedByStepKey" is not null and (${step(`${isTaker} and ${removed}`)} ` +
    `or not (${step(isTaker)} or ${step(`${inLoop} and not ${removed}`)}))`;
  return (
    `update ${EVENT} set "deliveredAt" = null, "consumedByStepKey" = null, "_version" = "_version" + 1 ` +
    `where ${dialect.isKeyAmong(`"id"`, rowsOf(dialect, { table: EVENT, alias: "e", condition }))}`
  );
}

/** Removes steps. @param keepsKeys the rows of `leaveRows` stay */
export const removeSteps = (dialect: Dialect, keepsKeys: boolean): string =>
  `delete from ${STEP} where ${isGone(dialect, keepsKeys ? ` and s."type" <> 'invoke'` : "")}`;

/** Opens the rows of steps that start a child, as `leavesRow` of core says. It comes before the removal. */
export const leaveRows = (dialect: Dialect): string =>
  `update ${STEP} set ${toOpen(dialect, 0)} where ${isGone(dialect, ` and s."type" = 'invoke'`)}`;

/** Condition: the step is removed. @param more a further condition on the step `s`, as ` and …` */
function isGone(dialect: Dialect, more: string): string {
  const condition = isRemoved(dialect, "s", `a."from"`) + more;
  return dialect.isKeyAmong(`"id"`, rowsOf(dialect, { table: STEP, alias: "s", condition }));
}

/** Leaves the children of removed steps. */
export function leaveRemoved(dialect: Dialect): LeaveStatements {
  const run =
    `(select m."workflowName" as "leaseWorkflowName", m."instanceId" as "leaseInstanceId", m."runNumber" as "leaseRunNumber" ` +
    `from (${marked(dialect, 1)}) as m) as l`;
  const isOfParent =
    `s."workflowName" = i."parentWorkflowName" and s."instanceId" = i."parentInstanceId" ` +
    `and s."runNumber" = i."parentRunNumber" and s."stepKey" = i."parentStepKey"`;
  const isThere = `exists (select 1 from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${isOfParent} and s."status" <> 'pending')`;
  return leaveChildren(dialect, run, ` and ${filter(`not ${isThere}`)}`);
}

/** Expression: the names on a row that are kept, as `keepUndoName` of core decides. */
export function keptNames(step: string): string {
  const name = `'[' || ${jsonString(`${step}."stepKey" || '/${UNDO_NAME}'`)}`;
  const names = `${step}."startedKeys"`;
  return `case when substr(${names}, 1, length(${name})) = ${name} then ${name} || ']' end`;
}

/** Updates the remaining steps: opens loops again, and forgets bodies that were about to start. */
export function reopenLoops(dialect: Dialect): string {
  const from = `(select a."from" from (${marked(dialect, 1)}) as a)`;
  const isOpen = isReopened(STEP, from);
  const cleared = ["settledOrder", "errorName", "errorMessage", "errorDetail"];
  const isChanged = `(s."startedKeys" is not null or ${isReopened("s", `a."from"`)})`;
  return (
    `update ${STEP} set "startedKeys" = ${keptNames(STEP)}, ` +
    `"status" = case when ${isOpen} then 'running' else "status" end, ` +
    `"updatedAt" = case when ${isOpen} then ${dialect.now} else "updatedAt" end, ` +
    `"_version" = case when ${isOpen} then "_version" + 1 else "_version" end, ` +
    cleared
      .map((name) => `"${name}" = case when ${isOpen} then null else "${name}" end`)
      .join(", ") +
    ` where ${dialect.isKeyAmong(`"id"`, rowsOf(dialect, { table: STEP, alias: "s", condition: isChanged }))}`
  );
}

/** Writes task and instance, as a command does. Further parameters, after the others: event row id; of the update, the control key with inputs. */
export const controlRewound = (dialect: Dialect, keepsKeys: boolean): ControlStatements =>
  ruleStatements(dialect, REWIND, {
    condition: (_alias, position) => `exists (${marked(dialect, position)})`,
    set: () => (keepsKeys ? "" : `"keyNumber" = coalesce("keyNumber", "runNumber") + 1, `),
    keyPosition: 6,
  });

/** Deletes all but the last few events that record rewinds. */
export const forgetRewinds = (dialect: Dialect): string => {
  const prefix = toRewindEvent("");
  const isTelling = (event: string): string =>
    `substr(${event}."type", 1, ${prefix.length}) = '${prefix}'`;
  const newer = `select count(*) from ${EVENT} as n where ${sameRun("n", "e")} and ${isTelling("n")} and n."_internalId" > e."_internalId"`;
  const condition = `${isTelling("e")} and (${newer}) >= ${MAX_REWINDS_TOLD}`;
  return `delete from ${EVENT} where ${dialect.isKeyAmong(`"id"`, rowsOf(dialect, { table: EVENT, alias: "e", condition }))}`;
};

export const deliverRewind = (dialect: Dialect): string =>
  `update ${EVENT} set "deliveredAt" = ${dialect.clock}, "sizeBytes" = null, "_version" = "_version" + 1 ` +
  `where "id" = ${dialect.param(1)} and "deliveredAt" is null`;
