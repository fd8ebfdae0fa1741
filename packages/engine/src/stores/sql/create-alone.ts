/** Creates an instance that is alone in its trip. Loaded by the first one, and only if the database can write in a WITH. */
import { applyIfNew, type SqlContext } from "./apply-batch.ts";
import { queryRow } from "./late-statements.ts";
import type { ClaimNextRow, CreatedRow, Query } from "./rows.ts";
import type { InstanceKeyRow, NewInstanceRow, NewTaskRow } from "./statements/create.ts";
import { createAlone, isPlainInstance } from "./statements/create-alone.ts";

/** The instance that was created or that has the id. */
export interface CreatedAnswers {
  readonly created: readonly CreatedRow[];
  readonly seen: readonly ClaimNextRow[];
}

/**
 * Returns the created instance or the one that has the id, and what is due next. null: another create with the id was under
 * way, this one has waited for it, and nothing was written.
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
