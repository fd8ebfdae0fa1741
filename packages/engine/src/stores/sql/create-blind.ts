/** Creates an instance in a batch of somebody else's, which fails if its id is taken. */
import type { Dialect } from "@escapement/db/client";
import { toInstanceRow, toTaskRow } from "./create.ts";
import { queryGiven, queryRow } from "./late-statements.ts";
import type { NewInstance } from "../../ports/create.ts";
import type { Query } from "./rows.ts";
import { insertNewInstance, insertTasks } from "./statements/create.ts";

/** The statements. The unique index refuses an id that is taken. */
export const toCreateBatch = (
  dialect: Dialect,
  instance: NewInstance,
): Readonly<Record<"instance" | "task", Query<never>>> => ({
  instance: queryRow(dialect, insertNewInstance, toInstanceRow(instance)),
  task: queryGiven(dialect, insertTasks, [toTaskRow(instance)]),
});
