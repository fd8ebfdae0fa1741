/** Pause, resume, cancel, terminate, restart, retry: the lifecycle table compiled into conditional statements. */
import type { Dialect } from "@escapement/db/client";
import {
  LIFECYCLE,
  type StoreCommand,
  type LifecycleRule,
  type Transition,
} from "../../../core/decide/lifecycle.ts";
import { isTerminal, type InstanceStatusName } from "../../../core/model/status.ts";
import { dueByDeadline, endRequestNow, keptDeadline } from "./deadline.ts";
import { hint } from "./hint.ts";
import { isInstance, isTaskOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, instanceColumns, TASK, UNLIMITED_ATTEMPTS } from "./tables.ts";

/**
 * The statements of one command, after the locks. The first two depend on the state before, so they come before the update. All
 * begin with the parameters workflow, instance, run number or null, control key or null.
 */
export interface ControlStatements {
  readonly deleteTask: string;
  /** Further parameter: task row id. null: the command never creates a task. */
  readonly insertTask: string | null;
  /** Rows: the instance afterwards; none if the command left it alone. */
  readonly updateInstance: string;
}

/** Further conditions and assignments of a restart. */
export interface Replacing {
  /** Condition on the instance `alias`. Its parameters begin at this position, after the others. */
  readonly condition: (alias: string, position: number) => string;
  readonly set: (position: number) => string;
  /** The assignments include the deadline, which a new run keeps otherwise. @default false */
  readonly setsDeadline?: boolean;
  /** The position of the control key with a digest of the inputs. @default that of the control key, because it has no inputs */
  readonly keyPosition?: number;
}

const REPLACING_NOTHING: Replacing = { condition: () => "", set: () => "" };

export const controlStatements = (
  dialect: Dialect,
  command: StoreCommand,
  replacing: Replacing = REPLACING_NOTHING,
): ControlStatements => ruleStatements(dialect, LIFECYCLE[command], replacing);

/** The same for a rule that does not belong to a command. */
export function ruleStatements(
  dialect: Dialect,
  rule: LifecycleRule,
  replacing: Replacing,
): ControlStatements {
  const meant = (alias: string, position: number): string => {
    const more = replacing.condition(alias, position);
    const goesOn = rule.run === "reopened" ? ` and ${isNotRolledBack(alias)}` : "";
    return isMeant(dialect, alias) + goesOn + (more && ` and ${filter(more)}`);
  };
  return {
    deleteTask: deleteTask(dialect, rule, meant("i", 5)),
    insertTask:
      statusesWith(rule, (to) => to.task === "enqueue").length > 0
        ? insertTask(dialect, rule, meant("i", 6))
        : null,
    updateInstance: updateInstance(dialect, rule, {
      meant: meant(INSTANCE, 5),
      set: replacing.set(5),
      setsDeadline: replacing.setsDeadline === true,
      keyPosition: replacing.keyPosition ?? 4,
    }),
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

/** Condition: the command is meant for the current run, and the last one with a key was not this one, with whichever inputs. */
export const isMeant = (dialect: Dialect, alias: string): string =>
  filter(
    `coalesce(${dialect.param(3)}, ${alias}."runNumber") = ${alias}."runNumber" and ` +
      `coalesce(substr(${alias}."controlKey" || ' ', 1, length(${keyed(dialect)}) + 1) <> ${keyed(dialect)} || ' ', true)`,
  );

const keyed = (dialect: Dialect): string => `cast(${dialect.param(4)} as text)`;

const ROLLED_BACK = `{"code":"ROLLED_BACK"`;

/** Condition: the run was not rolled back. */
export const isNotRolledBack = (alias: string): string =>
  filter(
    `substr(coalesce(${alias}."errorDetail", ''), 1, ${ROLLED_BACK.length}) <> '${ROLLED_BACK}'`,
  );

const deleteTask = (dialect: Dialect, rule: LifecycleRule, meant: string): string =>
  `delete from ${TASK} where ${isTaskOfInstance(dialect, TASK)} and exists (select 1 from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and ${meant} ` +
  `and ${hasStatus(`i."status"`, rule, (to) => to.task !== "keep")})`;

function insertTask(dialect: Dialect, rule: LifecycleRule, meant: string): string {
  const { now } = dialect;
  const isNew = rule.run === "new";
  const dueAt =
    isNew || rule.asks !== null
      ? now
      : `case when i."startedAt" > i."updatedAt" then ${dialect.least(`i."startedAt"`, dueByDeadline("i"))} else ${now} end`;
  const runNumber = isNew ? `i."runNumber" + 1` : `i."runNumber"`;
  return (
    `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "maxAttempts", "createdAt", "updatedAt") ` +
    `select ${dialect.param(5)}, i."workflowName", i."instanceId", ${runNumber}, '${rule.taskKind}', ` +
    `${rule.taskKind === "run" ? 1 : 0}, ${dueAt}, 'pending', 0, ${UNLIMITED_ATTEMPTS}, ${now}, ${now} ` +
    `from ${INSTANCE} as i where ${isInstance(dialect, "i")} and ${meant} ` +
    `and ${hasStatus(`i."status"`, rule, (to) => to.task === "enqueue")}` +
    hint(dialect, TASK, "true", " returning ")
  );
}

/** The request to end, as `toEndRequest` of core decides; "" leaves it unchanged. A deadline that has passed came first, and wins over a cancel. */
function endRequest(dialect: Dialect, { asks, run }: LifecycleRule): string {
  if (run === "new") return `"endRequested" = null, `;
  if (run === "same" && asks === null) return "";
  const otherwise = asks === null ? "null" : `'${asks}'`;
  const now = `"startedAt" = case when "startedAt" <= "updatedAt" then "startedAt" end, `;
  const stays = `'rollback', 'terminate'${asks === "cancel" ? ", 'deadline'" : ""}`;
  const before = asks === "cancel" ? endRequestNow(dialect, INSTANCE) : `"endRequested"`;
  return (
    `"endRequested" = case when ${before} in (${stays}) then ${before} else ${otherwise} end, ` +
    (asks === null ? "" : now)
  );
}

function updateInstance(
  dialect: Dialect,
  rule: LifecycleRule,
  {
    meant,
    set,
    setsDeadline,
    keyPosition,
  }: Readonly<Record<"meant" | "set", string>> &
    Required<Pick<Replacing, "setsDeadline" | "keyPosition">>,
): string {
  const transitions = transitionsOf(rule);
  const byStatus = (value: (to: Transition) => string): string =>
    `case "status" ${transitions.map(([from, to]) => `when '${from}' then ${value(to)}`).join(" ")} end`;
  const { now } = dialect;
  const toTerminal = transitions.some(([, to]) => isTerminal(to.to));
  const newRun =
    rule.run === "new"
      ? `"runNumber" = "runNumber" + 1, "keyNumber" = coalesce("keyNumber", "runNumber")` +
        `${rule.keys === "new" ? " + 1" : ""}, "startedAt" = null, `
      : "";
  const open = `"completedAt" = null, "output" = null, "errorName" = null, "errorMessage" = null, "errorDetail" = null, "retryCount" = null, `;
  const deadline = setsDeadline ? "" : `"deadlineAt" = ${keptDeadline(dialect)}, `;
  return (
    `update ${INSTANCE} set "status" = ${byStatus((to) => `'${to.to}'`)}, ` +
    `"pauseRequested" = ${byStatus((to) => String(to.pauseRequested))}, ` +
    endRequest(dialect, rule) +
    (rule.run === "same" ? "" : newRun + open + deadline + set) +
    (toTerminal ? `"completedAt" = ${now}, ` : "") +
    `"controlKey" = coalesce(${dialect.param(keyPosition)}, "controlKey"), ` +
    `"updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${isInstance(dialect, INSTANCE)} and ${meant} and ${hasStatus(`"status"`, rule, () => true)} ` +
    `returning ${instanceColumns(dialect, INSTANCE)}`
  );
}
