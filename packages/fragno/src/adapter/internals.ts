/**
 * Everything that we know of the internals of `@fragno-dev/db` 0.2.2 beyond its types. The rest of this folder uses exported names only;
 * `internals.test.ts` fails if a new version of the library differs from this file.
 */
import type {
  MutationOperation,
  RetrievalOperation,
  UOWCompiler,
} from "@fragno-dev/db/unit-of-work";
import type { AnyColumn, AnyRelation, AnySchema, AnyTable } from "@fragno-dev/db/schema";

/** A read as the unit of work passes it to the compiler. */
export type ReadOperation = RetrievalOperation<AnySchema>;
export type FindOperation = Extract<ReadOperation, { type: "find" }>;
/** A write as the unit of work passes it to the compiler. */
export type WriteOperation = MutationOperation<AnySchema>;
export type Compiler = UOWCompiler<unknown>;

/** Conditions and joins, whose types the library only exports through its builders. */
export type Condition = Exclude<
  ReturnType<NonNullable<FindOperation["options"]["where"]>>,
  boolean
>;
export type CompareCondition = Extract<Condition, { type: "compare" }>;
export type Operator = CompareCondition["operator"];
export type Join = NonNullable<FindOperation["options"]["joins"]>[number];
export type JoinOptions = Exclude<Join["options"], false>;
export type { AnyColumn, AnyRelation, AnySchema, AnyTable };

/** The name that builders use for `whereIndex("primary")` and `orderByIndex("primary")`. */
export const PRIMARY_INDEX = "_primary";

/** Hidden columns of every table. */
export const INTERNAL_ID = "_internalId";
export const VERSION = "_version";

/** The namespace of Fragno's own tables, which have no suffix. */
export const INTERNAL_NAMESPACE = "";

/** Fragno's table of schema versions: `key` is `<namespace>.schema_version`, and `value` the number as text. */
export const SETTINGS_TABLE = "fragno_db_settings";
export const toVersionKey = (namespace: string): string => `${namespace}.schema_version`;

/** Fragno's table of hooks. `nonce` is the idempotency key, `status` one of HOOK_STATUSES. */
export const HOOKS_TABLE = "fragno_hooks";
/** `pending` is due at `nextRetryAt` (null: at once); we use `processing` for a hook leased until `nextRetryAt`. */
export const HOOK_STATUSES = ["pending", "processing", "completed", "failed"] as const;
/** The attempts of a hook whose trigger sets no policy. */
const HOOK_MAX_ATTEMPTS = 5;
/** The index by which the library looks for the hooks of a namespace. */
const HOOK_SCAN_INDEX = "idx_namespace_status_retry";

/** Options of `triggerHook`. */
export interface HookOptions {
  readonly retryPolicy?: { shouldRetry(attempt: number): boolean };
  /** When the hook is due: an instant, or `dbNow(offsetMs)`. @default at once */
  readonly nextRetryAt?: Date;
}

/** How many attempts the library allows a hook. @source `prepareHookMutations` in `hooks/hooks.ts` */
export function toMaxAttempts(options: HookOptions | undefined): number {
  const policy = options?.retryPolicy;
  return policy === undefined || policy.shouldRetry(HOOK_MAX_ATTEMPTS - 1) ? HOOK_MAX_ATTEMPTS : 1;
}

/** Version of Fragno's own schema. */
export const INTERNAL_SCHEMA_VERSION = 2;

/** Whether a schema is Fragno's own, for settings and hooks. */
export function isInternalSchema(schema: AnySchema): boolean {
  return SETTINGS_TABLE in schema.tables && HOOKS_TABLE in schema.tables;
}

/**
 * The namespace whose due hooks this read asks for, or null for any other read. After every commit, the library reads all pending
 * hooks of the fragment in order to run them at once.
 *
 * @param where the read's condition, already built
 * @source `getPendingHookEvents` in `fragments/internal-fragment.ts`
 */
export function toHookScan(op: FindOperation, where: Condition | boolean): string | null {
  if (op.table.name !== HOOKS_TABLE || op.indexName !== HOOK_SCAN_INDEX) return null;
  if (typeof where === "boolean" || where.type !== "and" || where.items.length !== 2) return null;
  const [namespace, status] = where.items;
  if (!isEquality(status, "status") || status.b !== "pending") return null;
  return isEquality(namespace, "namespace") && typeof namespace.b === "string" ? namespace.b : null;
}

function isEquality(item: Condition | undefined, column: string): item is CompareCondition {
  return item?.type === "compare" && item.operator === "=" && item.a.ormName === column;
}

/**
 * The schema in a form that the migration generator can handle. It turns every reference into a foreign key, including one-to-many
 * references, which no database accepts, and on SQLite references that are added after their table, for which SQLite has no
 * statement.
 *
 * @param fromVersion version to migrate from: the results of earlier operations exist already
 */
export function toMigratable(
  schema: AnySchema,
  options: { readonly sqlite: boolean; readonly fromVersion: number },
): AnySchema {
  const isNew = new Set<string>();
  const operations = schema.operations.map((operation, index): (typeof schema.operations)[0] => {
    if (operation.type === "add-table" && index >= options.fromVersion)
      isNew.add(operation.tableName);
    if (operation.type !== "add-reference") return operation;
    const possible =
      operation.config.type === "one" && (!options.sqlite || isNew.has(operation.tableName));
    return possible
      ? operation
      : { type: "alter-table", tableName: operation.tableName, operations: [] };
  });
  return { ...schema, operations };
}
