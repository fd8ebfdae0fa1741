/** Facts about the fragment's tables that Fragno's schema language cannot express. */
import type { Database } from "@escapement/db";
import * as fragno from "@fragno-dev/db";
import { alreadyExists, indexSetOf, loadIndexSet, toIndexSet } from "@escapement/engine/internal";
import { extendSchema, type RefusedRow } from "../adapter/schema-extras.ts";
import { toListIndexes, toSupplements, withoutAutoincrement } from "../schema/supplements.ts";
import { workflowsSchema } from "../schema/workflows-schema.ts";
import { WorkflowApiError } from "./errors.ts";

/**
 * Marks a row that is created because a read found none with its id: if it exists by now, the read is to be repeated. A row without
 * the mark was created without a read.
 */
export const KNOWN_NEW: unique symbol = Symbol("escapement.knownNew");

/** Called by the definition, so it applies wherever the fragment is used. */
export function extendWorkflowsSchema(): void {
  extendSchema(workflowsSchema, {
    afterMigration,
    inMigration: withoutAutoincrement,
    explainUnique,
  });
}

/** Besides its version, a database stores its set of indexes, as in the engine's own `migrate`. */
async function afterMigration(database: Database): Promise<readonly string[]> {
  const { dialect } = database;
  const supplements = {
    supplements: toSupplements(dialect.name),
    listIndexes: toListIndexes(dialect.name),
  };
  const indexSet = indexSetOf(database, undefined, await loadIndexSet(database));
  return toIndexSet(dialect, supplements, indexSet);
}

/** The one place where a refused row becomes INSTANCE_ID_ALREADY_EXISTS, in any fragment's transaction. */
function explainUnique(rows: readonly RefusedRow[]): Error | null {
  const instances = rows.filter(({ table }) => table === "workflow_instance");
  if (instances.some(({ values }) => values[KNOWN_NEW] === true))
    return new fragno.ConcurrencyConflictError();
  const [first] = instances;
  if (first === undefined) return null;
  const workflowName = String(first.values["workflowName"]);
  const instanceId = instances.map(({ values }) => String(values["instanceId"])).join(", ");
  return new WorkflowApiError(alreadyExists({ workflowName, instanceId }));
}
