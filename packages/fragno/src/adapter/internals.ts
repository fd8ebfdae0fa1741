/**
 * Everything we know of the insides of `@fragno-dev/db` 0.2.2 that its types do not say. The rest of this room uses
 * exported names only; `internals.test.ts` fails when a new version of the library differs from this file.
 */
import type {
  MutationOperation,
  RetrievalOperation,
  UOWCompiler,
} from "@fragno-dev/db/unit-of-work";
import type { AnyColumn, AnyRelation, AnySchema, AnyTable } from "@fragno-dev/db/schema";

/** A read as the unit of work hands it to the compiler. */
export type ReadOperation = RetrievalOperation<AnySchema>;
export type FindOperation = Extract<ReadOperation, { type: "find" }>;
/** A write as the unit of work hands it to the compiler. */
export type WriteOperation = MutationOperation<AnySchema>;
export type Compiler = UOWCompiler<unknown>;

/** Conditions and joins, whose types the library exports only through its builders. */
export type Condition = Exclude<
  ReturnType<NonNullable<FindOperation["options"]["where"]>>,
  boolean
>;
export type CompareCondition = Extract<Condition, { type: "compare" }>;
export type Operator = CompareCondition["operator"];
export type Join = NonNullable<FindOperation["options"]["joins"]>[number];
export type JoinOptions = Exclude<Join["options"], false>;
export type { AnyColumn, AnyRelation, AnySchema, AnyTable };

/** Name under which builders file `whereIndex("primary")` and `orderByIndex("primary")`. */
export const PRIMARY_INDEX = "_primary";

/** Hidden columns of every table. */
export const INTERNAL_ID = "_internalId";
export const VERSION = "_version";

/** Namespace of Fragno's own tables, which carry no suffix. */
export const INTERNAL_NAMESPACE = "";

/** Fragno's table of schema versions: `key` is `<namespace>.schema_version`, `value` the number as text. */
export const SETTINGS_TABLE = "fragno_db_settings";
export const toVersionKey = (namespace: string): string => `${namespace}.schema_version`;

/** Fragno's table of hooks. `nonce` is the idempotency key, `status` one of HOOK_STATUSES. */
export const HOOKS_TABLE = "fragno_hooks";
/** `pending` is due at `nextRetryAt` (null: at once); we use `processing` for a hook leased until `nextRetryAt`. */
export const HOOK_STATUSES = ["pending", "processing", "completed", "failed"] as const;
/** Tries of a hook whose trigger brought no policy of its own. */
const HOOK_MAX_ATTEMPTS = 5;
/** Index by which the library looks for the hooks of a namespace. */
const HOOK_SCAN_INDEX = "idx_namespace_status_retry";

/** What `triggerHook` takes as options. */
export interface HookOptions {
  readonly retryPolicy?: { shouldRetry(attempt: number): boolean };
  /** When the hook is due: an instant, or `dbNow(offsetMs)`. @default at once */
  readonly nextRetryAt?: Date;
}

/** Attempts that the library grants a hook. @source `prepareHookMutations` in `hooks/hooks.ts` */
export function toMaxAttempts(options: HookOptions | undefined): number {
  const policy = options?.retryPolicy;
  return policy === undefined || policy.shouldRetry(HOOK_MAX_ATTEMPTS - 1) ? HOOK_MAX_ATTEMPTS : 1;
}

/** Version of Fragno's own schema. */
export const INTERNAL_SCHEMA_VERSION = 2;

/** Whether a schema is Fragno's own, of settings and hooks. */
export function isInternalSchema(schema: AnySchema): boolean {
  return SETTINGS_TABLE in schema.tables && HOOKS_TABLE in schema.tables;
}

/**
 * Namespace whose due hooks this read asks for, or null when it is any other read. After every commit the library reads
 * all pending hooks of the fragment in order to run them there and then.
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
 * The schema as the migration generator can express it: it makes a foreign key of every reference, also of one to many,
 * which no database accepts, and on SQLite of one that comes later than its table, which SQLite has no statement for.
 *
 * @param fromVersion version to migrate from: operations before it exist already
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
