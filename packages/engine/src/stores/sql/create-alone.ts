/** The creation of an instance that is alone in its trip. Loaded by the first, and only where the database writes in a WITH. */
import { applyIfNew, type SqlContext } from "./apply-batch.ts";
import { queryRow } from "./late-statements.ts";
import type { ClaimNextRow, CreatedRow, Query } from "./rows.ts";
import type { InstanceKeyRow, NewInstanceRow, NewTaskRow } from "./statements/create.ts";
import { createAlone, isPlainInstance } from "./statements/create-alone.ts";

/** What is created, or has the id. */
export interface CreatedAnswers {
  readonly created: readonly CreatedRow[];
  readonly seen: readonly ClaimNextRow[];
}

/**
 * The created one, or who has the id, and what comes next; null: another create of the id was under way, which this one has
 * waited for, and nothing was written.
 */
export async function createOne(
  { database, dialect }: Pick<SqlContext, "database" | "dialect">,
  row: NewInstanceRow & NewTaskRow & Pick<InstanceKeyRow, "isKeyed">,
  seen: Query<ClaimNextRow> | null,
): Promise<CreatedAnswers | null> {
  const form = isPlainInstance(row) ? createAlone.plain : createAlone.any;
  const created = queryRow<CreatedRow>(dialect, form, row);
  return applyIfNew(database, { created, seen });
}
