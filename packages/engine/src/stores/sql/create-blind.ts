/** Creates an instance in a batch of somebody else's, which fails if its id is taken. */
import type { RareContext } from "./rare-statements.ts";
import { toInstanceRow, toTaskRow } from "./create.ts";
import { queryRow } from "./late-statements.ts";
import type { NewInstance } from "../../ports/create.ts";
import type { Query } from "./rows.ts";
import { insertNewInstance } from "./statements/create.ts";

/** The statements. The unique index refuses an id that is taken. */
export const toCreateBatch = (
  { statements, dialect }: Pick<RareContext, "statements" | "dialect">,
  instance: NewInstance,
): Readonly<Record<"instance" | "task", Query<never>>> => ({
  instance: queryRow(dialect, insertNewInstance, toInstanceRow(instance)),
  task: statements.insertTasks([toTaskRow(instance)]),
});
