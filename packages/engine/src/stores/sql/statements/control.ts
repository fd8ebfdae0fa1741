/** Pause, resume, terminate, restart: the lifecycle table compiled into conditional statements. */
import type { Dialect } from "@escapement/db";
import {
  LIFECYCLE,
  type LifecycleCommand,
  type LifecycleRule,
  type Transition,
} from "../../../core/decide/lifecycle.ts";
import { isTerminal, type InstanceStatusName } from "../../../core/model/status.ts";
import { isInstance, isTaskOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, instanceColumns, TASK, UNLIMITED_ATTEMPTS } from "./tables.ts";

/**
 * Texts of one command after the locks; the first two decide by the state before, so they come before the update. All
 * begin with the parameters workflow, instance, run number or null, control key or null.
 */
export interface ControlStatements {
  readonly deleteTask: string;
  /** Further parameter: task row id. null: the command never makes a task. */
  readonly insertTask: string | null;
  /** Rows: the instance after, none when the command left it alone. */
  readonly updateInstance: string;
}

export function controlStatements(dialect: Dialect, command: LifecycleCommand): ControlStatements {
  const rule = LIFECYCLE[command];
  return {
    deleteTask: deleteTask(dialect, rule),
    insertTask:
      statusesWith(rule, (to) => to.task === "enqueue").length > 0
        ? insertTask(dialect, rule)
        : null,
    updateInstance: updateInstance(dialect, rule),
  };
}

const transitionsOf = (rule: LifecycleRule): [InstanceStatusName, Transition][] =>
  Object.entries(rule.transitions) as [InstanceStatusName, Transition][];

const statusesWith = (rule: LifecycleRule, test: (to: Transition) => boolean): string[] =>
  transitionsOf(rule)
    .filter(([, to]) => test(to))
    .map(([from]) => `'${from}'`);

const hasStatus = (
  column: string,
  rule: LifecycleRule,
  test: (to: Transition) => boolean,
): string => filter(`${column} in (${statusesWith(rule, test).join(", ")})`);

/** Condition: the command is meant for the present run, and was not applied before under its key. */
const isMeant = (dialect: Dialect, alias: string): string =>
  filter(
    `coalesce(${dialect.param(3)}, ${alias}."runNumber") = ${alias}."runNumber" and ` +
      `(${alias}."controlKey" is null or ${alias}."controlKey" <> coalesce(${dialect.param(4)}, ''))`,
  );

const deleteTask = (dialect: Dialect, rule: LifecycleRule): string =>
  `delete from ${TASK} where ${isTaskOfInstance(dialect, TASK)} and exists (select 1 from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and ${isMeant(dialect, "i")} ` +
  `and ${hasStatus(`i."status"`, rule, (to) => to.task !== "keep")})`;

function insertTask(dialect: Dialect, rule: LifecycleRule): string {
  const { now } = dialect;
  const runNumber = rule.startsNewRun ? `i."runNumber" + 1` : `i."runNumber"`;
  return (
    `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "maxAttempts", "createdAt", "updatedAt") ` +
    `select ${dialect.param(5)}, i."workflowName", i."instanceId", ${runNumber}, '${rule.taskKind}', ` +
    `${rule.taskKind === "run" ? 1 : 0}, ${now}, 'pending', 0, ${UNLIMITED_ATTEMPTS}, ${now}, ${now} ` +
    `from ${INSTANCE} as i where ${isInstance(dialect, "i")} and ${isMeant(dialect, "i")} ` +
    `and ${hasStatus(`i."status"`, rule, (to) => to.task === "enqueue")}`
  );
}

function updateInstance(dialect: Dialect, rule: LifecycleRule): string {
  const transitions = transitionsOf(rule);
  const byStatus = (value: (to: Transition) => string): string =>
    `case "status" ${transitions.map(([from, to]) => `when '${from}' then ${value(to)}`).join(" ")} end`;
  const { now } = dialect;
  const toTerminal = transitions.some(([, to]) => isTerminal(to.to));
  const newRun = `"runNumber" = "runNumber" + 1, "startedAt" = null, "completedAt" = null, "output" = null, "errorName" = null, "errorMessage" = null, "errorDetail" = null, `;
  return (
    `update ${INSTANCE} set "status" = ${byStatus((to) => `'${to.to}'`)}, ` +
    `"pauseRequested" = ${byStatus((to) => String(to.pauseRequested))}, ` +
    (rule.startsNewRun ? newRun : "") +
    (toTerminal ? `"completedAt" = ${now}, ` : "") +
    `"controlKey" = coalesce(${dialect.param(4)}, "controlKey"), ` +
    `"updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${isInstance(dialect, INSTANCE)} and ${isMeant(dialect, INSTANCE)} and ${hasStatus(`"status"`, rule, () => true)} ` +
    `returning ${instanceColumns(dialect, INSTANCE)}`
  );
}
