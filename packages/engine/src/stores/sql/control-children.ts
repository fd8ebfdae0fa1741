/** @module What a command that ends a run at once does to its children and its parent. Loaded with the first of them. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import { toFailedPayload } from "../../core/child.ts";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { Query } from "./rows.ts";
import { isMeant } from "./statements/control.ts";
import { leaveChildren } from "./statements/leave-children.ts";
import { isInstance } from "./statements/lock.ts";
import { filter } from "./statements/planner-hints.ts";
import { INSTANCE } from "./statements/tables.ts";
import { childEvent, notifyParents } from "./statements/notify-parents.ts";

interface Ending {
  readonly command: StoreCommand;
  /** Parameters of every text of a command: workflow, instance, run number or null, control key or null. */
  readonly meant: readonly SqlValue[];
  /** The row id of the event that tells the parent. */
  readonly eventRowId: string;
  /** A further condition of the command on the instance `i`, whose parameters come after the others, at this position. */
  readonly condition?: {
    readonly textAt: (position: number) => string;
    readonly values: readonly SqlValue[];
  };
}

/** The statements in their order. They come before the instance's own update, because they depend on its state before that. */
export function toLeavingStatements(
  dialect: Dialect,
  { command, meant, eventRowId, condition }: Ending,
): Readonly<Record<string, Query<never>>> {
  const isMeantFor = (position: number): string =>
    `from ${INSTANCE} as i where ${isInstance(dialect, "i")} and ${isMeant(dialect, "i")}` +
    (condition === undefined ? "" : ` and ${filter(condition.textAt(position))}`);
  const run =
    `(select i."workflowName" as "leaseWorkflowName", i."instanceId" as "leaseInstanceId", ` +
    `i."runNumber" as "leaseRunNumber" ${isMeantFor(5)}) as l`;
  const more = condition?.values ?? [];
  const leaving = toQueries("left", leaveChildren(dialect, run), [...meant, ...more]);
  if (command !== "terminate") return leaving;
  const end =
    `(select i."parentWorkflowName" as "workflowName", i."parentInstanceId" as "instanceId", ` +
    `i."parentRunNumber" as "runNumber", i."parentStepKey" as "stepKey", ${childEvent(`i."instanceId"`, `i."parentStepKey"`)} as "type", ` +
    `cast(${dialect.param(5)} as text) as "eventRowId", '${toFailedPayload("terminated")}' as "payload" ${isMeantFor(6)} ` +
    `and ${filter(`i."parentInstanceId" is not null and i."status" not in ('complete', 'errored', 'terminated')`)}) as l`;
  return {
    ...leaving,
    ...toQueries("ended", notifyParents(dialect, end), [...meant, eventRowId, ...more]),
  };
}

/** Whether any statement made a child or the parent due. */
export const hasWoken = (answers: Readonly<Record<string, readonly unknown[]>>): boolean =>
  ["left wakeTasks", "left insertTasks", "ended wakeTasks"].some(
    (name) => (answers[name]?.length ?? 0) > 0,
  );

const toQueries = (
  prefix: string,
  texts: object,
  values: readonly SqlValue[],
): Readonly<Record<string, Query<never>>> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      `${prefix} ${name}`,
      { text: String(text), values },
    ]),
  );
