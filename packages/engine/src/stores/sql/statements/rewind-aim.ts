/** Decides about a rewind or fork at a step: `planRewind` of core as parts of one statement, because a verb is one trip. */
import type { Dialect } from "@escapement/db/client";
import { isNotRolledBack } from "./control.ts";
import { isInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, isScope, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/** Above every `settledOrder`. */
const OPEN_ORDER = 2_147_483_647;

/** Expression: the order of a step among those of its run. An open step comes after all others. */
const orderOf = (step: string): string => `coalesce(${step}."settledOrder", ${OPEN_ORDER})`;

/** Expression: a number from the position in a loop's row. */
function position(dialect: Dialect, step: string, member: string, absent: number): string {
  const result = `${step}."result"`;
  const value =
    dialect.name === "sqlite"
      ? `cast(json_extract(${result}, '$.${member}') as integer)`
      : `(${result}::json ->> '${member}')::bigint`;
  return `coalesce(${value}, ${absent})`;
}

/** Condition: the loop is among the steps to reset, but had begun before, so it continues from its position. */
const hasBegun = (dialect: Dialect, step: string, from: string): string =>
  `case when ${step}."type" = 'loop' and ${step}."result" is not null ` +
  `then ${position(dialect, step, "since", 0)} < ${from} else false end`;

/** Condition: the step is open, or settled with the one at `from` or later. */
const isBehind = (step: string, from: string): string => `${orderOf(step)} >= ${from}`;

/** Condition: the row of the step is removed, if everything before `from` stays. */
export const isRemoved = (dialect: Dialect, step: string, from: string): string =>
  `(${isBehind(step, from)} and not ${hasBegun(dialect, step, from)})`;

/** Condition: a loop is open again. */
export const isReopened = (step: string, from: string): string =>
  `(${step}."type" = 'loop' and ${step}."settledOrder" >= ${from})`;

/** Positions of the parameters. */
export interface AimParameters {
  /** Key of the step. */
  readonly stepKey: number;
  /** Keys of the places around it as JSON, each with the iteration of it that the step is in. */
  readonly around: number;
}

/**
 * Parts of a WITH: `run`, the instance's current run; `aim`, with `from` and `isFound`; `passed`, loops that have gone past the
 * step; `undone`, undo steps. Parameters 1 and 2: workflow and instance.
 *
 * @param meant condition on the instance `i`
 */
export function aimParts(dialect: Dialect, at: AimParameters, meant: string): string {
  const steps = (condition: string): string =>
    dialect.joinEach(STEP, "s", `${sameRun("s", "r")} and ${condition}`, UNIQUE_STEP);
  const around = dialect.jsonRows(dialect.param(at.around), "o", [
    { name: "stepKey", type: "text" },
    { name: "iteration", type: "bigint" },
  ]);
  const isAimedAt = `s."stepKey" = ${dialect.param(at.stepKey)}`;
  const isAround = `${isScope("s")} and s."stepKey" in (select o."stepKey" from around as o)`;
  const iteration = position(dialect, "s", "iteration", 0);
  const undoes = `substr(s."stepKey", length(s."stepKey") - 4) = '/undo'`;
  const undone =
    `exists (select 1 from ${STEP} as u${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("u", "s")} ` +
    `and u."stepKey" = substr(s."stepKey", 1, length(s."stepKey") - 5) and not ${isScope("u")})`;
  const parts = [
    [
      "run",
      `select i."workflowName", i."instanceId", i."runNumber", i."params", i."tags", i."memo", ` +
        `case when ${isNotRolledBack("i")} and coalesce(i."endRequested", '') <> 'rollback' then 0 else 1 end as "isUndone" ` +
        `from ${INSTANCE} as i where ${isInstance(dialect, "i")} and ${filter(meant)}`,
    ],
    ["around", `select o."stepKey", o."iteration" from ${around}`],
    [
      "aim",
      `select min(${orderOf("s")}) as "from", max(case when ${isAimedAt} then 1 else 0 end) as "isFound" ` +
        `from run as r ${steps(`(${isAimedAt} or (${isAround}))`)}`,
    ],
    [
      "passed",
      `select s."stepKey" from run as r cross join aim as a ${steps(`s."type" = 'loop' and s."result" is not null`)} ` +
        `left join around as o on o."stepKey" = s."stepKey" ` +
        `where ${isBehind("s", `a."from"`)} and ${hasBegun(dialect, "s", `a."from"`)} ` +
        `and (${position(dialect, "s", "after", OPEN_ORDER)} >= a."from" or coalesce(o."iteration", ${iteration}) < ${iteration})`,
    ],
    ["undone", `select s."stepKey" from run as r ${steps(undoes)} where ${undone}`],
  ];
  return parts.map(([name, select]) => `${name} as materialized (${select})`).join(", ");
}

/** Condition over `run as r` and `aim as a`: the run can be rewound to the step. */
export const IS_ALLOWED = `a."isFound" = 1 and r."isUndone" = 0 and not exists (select 1 from passed) and not exists (select 1 from undone)`;

/** The row of `judgeAim`. */
export interface AimRow {
  readonly isFound: number | string;
  readonly isUndone: number | string;
  readonly isPassed: number | string;
}

/** Parameters: workflow, instance, step key, places around it. Rows: one, if the instance exists. */
export const judgeAim = (dialect: Dialect): string =>
  `with ${aimParts(dialect, { stepKey: 3, around: 4 }, "true")} ` +
  `select coalesce(a."isFound", 0) as "isFound", ` +
  `case when r."isUndone" = 1 or exists (select 1 from undone) then 1 else 0 end as "isUndone", ` +
  `case when exists (select 1 from passed) then 1 else 0 end as "isPassed" from run as r cross join aim as a`;
