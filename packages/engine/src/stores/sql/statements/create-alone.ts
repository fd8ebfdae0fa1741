/**
 * Creates one instance and its task in one statement, if the database can write in a WITH. Rows: the instance that has the id
 * now. A unique violation means that somebody else has created it just now, and it was not visible yet.
 *
 * It looks up the id instead of using `on conflict`, because Postgres writes a row that may be in conflict to the log twice,
 * the second time to confirm it.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import {
  createdColumns,
  IS_KEYED,
  INSTANCE_COLUMNS,
  insertTasksFrom,
  newInstances,
  type NewInstanceRow,
  OWN_TASK_COLUMNS,
  PLAIN_INSTANCE,
} from "./create.ts";
import type { SingleStatement } from "./given-rows.ts";
import { isInstanceKey } from "./instance-key.ts";
import { INSTANCE } from "./tables.ts";

const RARE = INSTANCE_COLUMNS.filter((column) => !PLAIN_INSTANCE.includes(column));

/** Whether `createAlone.plain` can write the row. */
export const isPlainInstance = (row: NewInstanceRow): boolean =>
  RARE.every(({ name }) => row[name as keyof NewInstanceRow] === undefined);

const alone = (ofInstance: readonly JsonColumn[]): SingleStatement => {
  const columns = [...ofInstance, ...OWN_TASK_COLUMNS, IS_KEYED];
  return { columns, text: (dialect) => createOne(dialect, ofInstance, columns) };
};

function createOne(
  dialect: Dialect,
  ofInstance: readonly JsonColumn[],
  columns: readonly JsonColumn[],
): string {
  const given = (name: string): string =>
    dialect.param(columns.findIndex((column) => column.name === name) + 1);
  const key = { workflowName: given("workflowName"), instanceId: given("instanceId") };
  const ofTask = dialect.valueRow(ofInstance.length + 1, "c", OWN_TASK_COLUMNS);
  const isKeyed = `cast(${given("isKeyed")} as boolean)`;
  const asked = { instanceRowId: given("instanceRowId"), isKeyed };
  const isNew = `not exists (select 1 from ${INSTANCE} as o where ${isInstanceKey(dialect, { alias: "o", ...key })})`;
  const selected = `select ${createdColumns(dialect, asked)} from`;
  return (
    `with made as (${newInstances(dialect, "single", ofInstance, isNew)} returning *), ` +
    `task as (${insertTasksFrom(dialect, `${ofTask} cross join made as i`)}) ` +
    `${selected} made as i union all ${selected} ${INSTANCE} as i ` +
    `where ${isInstanceKey(dialect, { alias: "i", ...key })} and not exists (select 1 from made)`
  );
}

export const createAlone: Readonly<Record<"plain" | "any", SingleStatement>> = {
  plain: alone(PLAIN_INSTANCE),
  any: alone(INSTANCE_COLUMNS),
};
