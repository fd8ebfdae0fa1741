/** Questions about hooks and their leases that the library does not ask. */
import type { FragnoId } from "@fragno-dev/db/schema";
import { batchWithRetry } from "@escapement/db/client";
import type { AdapterInsides } from "../shared-state.ts";
import { library } from "../library.ts";
import { dbNow } from "../db-now.ts";
import { type AnyTable, HOOKS_TABLE, INTERNAL_NAMESPACE, VERSION } from "../internals.ts";
import { joinSql, param, raw, sql, type Sql, toStatement } from "../sql.ts";
import { columnOf, columnSql, type Scope, tableOf, tableSql } from "../tables.ts";
import { valueSql } from "../write-columns.ts";

/** A hook that is held, with the version that its claim gave it. */
interface HeldHook {
  readonly id: FragnoId;
}

/** Condition: the hook of row `alias` is due: it is new, has another attempt, or its lease has expired. */
export function dueHooksSql(scope: Scope, table: AnyTable, alias: string): Sql {
  const at = (column: string): Sql => columnSql(scope, alias, column);
  const now = valueSql(scope, table, columnOf(table, "nextRetryAt"), dbNow());
  return sql`${at("status")} in ('pending', 'processing') and (${at("nextRetryAt")} is null or ${at("nextRetryAt")} <= ${now})`;
}

/** The namespaces that have due hooks, in one trip. */
export async function findDueNamespaces(
  { executing: { database, retry }, namespaces }: AdapterInsides,
  candidates: readonly string[],
): Promise<ReadonlySet<string>> {
  const scope = { dialect: database.dialect, namespace: INTERNAL_NAMESPACE };
  const table = tableOf(namespaces.internal, HOOKS_TABLE);
  const columns = candidates.map(
    (candidate, index) =>
      sql`exists (select 1 from ${tableSql(scope, table)} as d where ${columnSql(scope, "d", "namespace")} = ${param(candidate)} and ${dueHooksSql(scope, table, "d")}) as ${raw(`n${index}`)}`,
  );
  const statement = toStatement(sql`select ${joinSql(columns, ", ")}`, database.dialect);
  const result = await batchWithRetry(database, [statement], retry);
  if (result.kind !== "committed") throw new library.ConcurrencyConflictError();
  const found = Object.values(result.rows[0]?.[0] ?? {});
  return new Set(candidates.filter((_, index) => found[index] === true || found[index] === 1));
}

/**
 * How long until the next hook is due that is not due now, in milliseconds of the database's clock: because of another attempt, or
 * because a lease ends. null: none will be.
 */
export async function findNextDueInMs(
  { executing: { database, retry }, namespaces }: AdapterInsides,
  candidates: readonly string[],
): Promise<number | null> {
  const scope = { dialect: database.dialect, namespace: INTERNAL_NAMESPACE };
  const table = tableOf(namespaces.internal, HOOKS_TABLE);
  const at = (column: string): Sql => columnSql(scope, "d", column);
  const now = valueSql(scope, table, columnOf(table, "nextRetryAt"), dbNow());
  const [before = "", behind = ""] = database.dialect.toMs("\0").split("\0");
  const among = joinSql(candidates.map(param), ", ");
  const look = sql`select ${raw(before)}min(${at("nextRetryAt")})${raw(`${behind} - ${database.dialect.nowMs}`)} as ${raw("ms")} from ${tableSql(scope, table)} as d where ${at("namespace")} in (${among}) and ${at("status")} in ('pending', 'processing') and ${at("nextRetryAt")} > ${now}`;
  const result = await batchWithRetry(database, [toStatement(look, database.dialect)], retry);
  if (result.kind !== "committed") throw new library.ConcurrencyConflictError();
  const ms = result.rows[0]?.[0]?.["ms"] ?? null;
  return ms === null ? null : Number(ms);
}

/**
 * Renews the leases of the hooks in the set, three times per lease, until the returned function is called. A failed renewal is not
 * repeated: the next one comes soon, and a lost lease is noticed when the hook is marked.
 */
export function renewLeases(
  { executing: { database }, namespaces }: AdapterInsides,
  held: ReadonlySet<HeldHook>,
  leaseMs: number,
): () => void {
  const scope = { dialect: database.dialect, namespace: INTERNAL_NAMESPACE };
  const table = tableOf(namespaces.internal, HOOKS_TABLE);
  const renew = (): void => {
    if (held.size === 0) return;
    const statement = toStatement(renewalSql(scope, table, held, leaseMs), database.dialect);
    database.batch([statement]).catch(() => undefined);
  };
  const timer = setInterval(renew, leaseMs / 3);
  return () => clearInterval(timer);
}

function renewalSql(
  scope: Scope,
  table: AnyTable,
  held: ReadonlySet<HeldHook>,
  leaseMs: number,
): Sql {
  const column = (name: string): Sql => columnSql(scope, null, name);
  const until = valueSql(scope, table, columnOf(table, "nextRetryAt"), dbNow(leaseMs));
  const rows = [...held].map(
    ({ id }) =>
      sql`(${column("id")} = ${param(id.externalId)} and ${column(VERSION)} = ${param(id.version)})`,
  );
  return sql`update ${tableSql(scope, table)} set ${column("nextRetryAt")} = ${until} where ${column("status")} = 'processing' and (${joinSql(rows, " or ")})`;
}
