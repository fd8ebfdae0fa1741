/**
 * Creates an instance with a copy of the steps that come before a step of another one. The instance is written first, under all
 * conditions, and marked. Steps are copied only if it has the mark, which the last statement removes. So a call that arrives
 * twice copies nothing the second time.
 */
import type { Dialect } from "@escapement/db/client";
import { COLUMN_NAMES, toColumn } from "../columns.ts";
import { hasStatusAmong } from "./demand.ts";
import { filter } from "./planner-hints.ts";
import { keptNames } from "./rewind.ts";
import { aimParts, IS_ALLOWED, isRemoved, isReopened } from "./rewind-aim.ts";
import { INSTANCE, INSTANCE_IDS, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

const MARK = "'copying'";

/** Parameters 1 to 6: workflow, instance, run number or null, step key, the places around it, statuses or null. */
const parts = (dialect: Dialect): string => {
  const isRun = `coalesce(${dialect.param(3)}, i."runNumber") = i."runNumber"`;
  return aimParts(
    dialect,
    { stepKey: 4, around: 5 },
    `${isRun} and ${hasStatusAmong(dialect, "i", 6)}`,
  );
};

/** Further parameters: row id, instance id, params, 1 for the params of the source, trace context. */
export function insertFork(dialect: Dialect): string {
  const { param, now } = dialect;
  const origin = dialect.jsonObject({
    instanceId: `r."instanceId"`,
    runNumber: `r."runNumber"`,
    stepKey: `cast(${param(4)} as text)`,
  });
  return (
    `with ${parts(dialect)} insert into ${INSTANCE} ("id", "workflowName", "instanceId", "runNumber", "status", "params", ` +
    `"pauseRequested", "createdAt", "updatedAt", "forkedFrom", "tags", "memo", "traceContext", "endedBy") ` +
    `select ${param(7)}, r."workflowName", ${param(8)}, 1, 'queued', ` +
    `case when ${param(10)} = 1 then r."params" else ${param(9)} end, false, ${now}, ${now}, ${origin}, r."tags", r."memo", ${param(11)}, ${MARK} ` +
    `from run as r cross join aim as a where ${IS_ALLOWED} on conflict do nothing`
  );
}

/** Further parameters: row id, and the beginning of the copies' ids. */
export function copySteps(dialect: Dialect): string {
  const { param } = dialect;
  const isOpen = isReopened("s", `a."from"`);
  const number = `row_number() over (order by s."createdAt", s."id")`;
  const values: Readonly<Record<string, string>> = {
    id: `${param(8)} || '.' || substr(cast(10000000 + ${number} as text), 2)`,
    status: `case when ${isOpen} then 'running' else s."status" end`,
    ...Object.fromEntries(
      ["settledOrder", "errorName", "errorMessage", "errorDetail"].map((name) => [
        name,
        `case when ${isOpen} then null else s."${name}" end`,
      ]),
    ),
  };
  const columns = COLUMN_NAMES.step.map(toColumn);
  return (
    `with ${parts(dialect)} insert into ${STEP} ("workflowName", "instanceId", "runNumber", "startedKeys", ${columns.map((name) => `"${name}"`).join(", ")}) ` +
    `select n."workflowName", n."instanceId", n."runNumber", ${keptNames("s")}, ` +
    `${columns.map((name) => values[name] ?? `s."${name}"`).join(", ")} ` +
    `from run as r cross join aim as a cross join (select k."workflowName", k."instanceId", k."runNumber" from ${INSTANCE} as k${dialect.byIndex(INSTANCE_IDS)} ` +
    `where ${dialect.isKey(`k."id"`, param(7))} and ${filter(`k."endedBy" = ${MARK}`)}) as n ` +
    `${dialect.joinEach(STEP, "s", sameRun("s", "r"), UNIQUE_STEP)} where not ${isRemoved(dialect, "s", `a."from"`)}`
  );
}

/** Parameter: row id. */
export const unmarkFork = (dialect: Dialect): string =>
  `update ${INSTANCE} set "endedBy" = null where ${dialect.isKey(`"id"`, dialect.param(1))} and ${filter(`"endedBy" = ${MARK}`)}`;
