/** Reads of instances and histories, page by page. A page asks for one row more than it shows. */
import type { Dialect } from "@escapement/db";
import { isInstance, isOfInstance } from "./lock.ts";
import { EVENT, eventColumns, INSTANCE, instanceColumns, STEP, stepColumns } from "./tables.ts";

/** Parameters: workflow, instance. */
export const loadInstance = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")} from ${INSTANCE} as i where ${isInstance(dialect, "i")}`;

/** Which of a list's four statements: with a status or without, the first page or a later one. */
export interface ListVariant {
  readonly byStatus: boolean;
  readonly isLaterPage: boolean;
}

/** Parameters: workflow, limit, then status if any, then the position's instant and id if any. Newest first. */
export function listInstances(dialect: Dialect, { byStatus, isLaterPage }: ListVariant): string {
  const sort = byStatus ? `i."updatedAt"` : `i."createdAt"`;
  const at = byStatus ? 4 : 3;
  return (
    `select ${instanceColumns(dialect, "i")} from ${INSTANCE} as i where i."workflowName" = ${dialect.param(1)}` +
    (byStatus ? ` and i."status" = ${dialect.param(3)}` : "") +
    (isLaterPage ? ` and ${isAfter(dialect, { sort, id: `i."id"`, at, comparison: "<" })}` : "") +
    ` order by ${sort} desc, i."id" desc limit ${dialect.param(2)}`
  );
}

/** Parameters: workflow, instance, run number, limit, then the position's instant and id if any. Oldest first. */
export const listSteps = (dialect: Dialect, isLaterPage: boolean): string =>
  listOfRun(dialect, { columns: stepColumns(dialect, "r"), table: STEP, isLaterPage });

/** As `listSteps`. */
export const listEvents = (dialect: Dialect, isLaterPage: boolean): string =>
  listOfRun(dialect, { columns: eventColumns(dialect, "r"), table: EVENT, isLaterPage });

interface RunList {
  readonly columns: string;
  readonly table: string;
  readonly isLaterPage: boolean;
}

const listOfRun = (dialect: Dialect, { columns, table, isLaterPage }: RunList): string =>
  `select ${columns} from ${table} as r where ${isOfInstance(dialect, "r")} and r."runNumber" = ${dialect.param(3)}` +
  (isLaterPage
    ? ` and ${isAfter(dialect, { sort: `r."createdAt"`, id: `r."id"`, at: 5, comparison: ">" })}`
    : "") +
  ` order by r."createdAt", r."id" limit ${dialect.param(4)}`;

interface Position {
  readonly sort: string;
  readonly id: string;
  /** Position of the instant's parameter; the id's is the next. */
  readonly at: number;
  readonly comparison: "<" | ">";
}

// Not `(sort, id) < (…)`: the first half alone is what the index can start from, on every database.
function isAfter(dialect: Dialect, { sort, id, at, comparison }: Position): string {
  const instant = dialect.fromMs(dialect.param(at));
  return `${sort} ${comparison}= ${instant} and (${sort} <> ${instant} or ${id} ${comparison} ${dialect.param(at + 1)})`;
}

/** No parameters. */
export const selectNow = (dialect: Dialect): string => `select ${dialect.nowMs} as "now"`;
