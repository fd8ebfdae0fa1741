/** Claiming due hooks. */
import type { FragnoId } from "@fragno-dev/db/schema";
import { batchWithRetry } from "@escapement/db/client";
import type { Row } from "@escapement/db";
import { library } from "../library.ts";
import type { AdapterInsides } from "../shared-state.ts";
import { dbNow } from "../db-now.ts";
import {
  type AnyTable,
  HOOKS_TABLE,
  INTERNAL_ID,
  INTERNAL_NAMESPACE,
  VERSION,
} from "../internals.ts";
import { planSelection } from "../select.ts";
import { selectedSql, type Selection } from "../selection.ts";
import { joinSql, param, raw, sql, type Sql, toStatement } from "../sql.ts";
import { columnOf, columnSql, type Scope, tableOf, tableSql } from "../tables.ts";
import { valueSql } from "../write-columns.ts";
import { dueHooksSql } from "./leases.ts";

/** Written to hooks that used up their attempts by processors that died. */
const DIED = "The processor died or lost its lease";
/**
 * Lost leases that a hook is allowed beyond its attempts. Whether a hook had begun that was claimed and never marked,
 * nobody knows: the answer to the claim may have been lost. So it is not given up for one, though it has one attempt.
 */
const SPARE_LEASES = 5;

/** A claim of the due hooks of one namespace. */
export interface HookClaim {
  readonly namespace: string;
  /** At most so many hooks. */
  readonly limit: number;
  /** How long they belong to the processor, in milliseconds. */
  readonly leaseMs: number;
}

/** The answer to a claim. */
export interface ClaimedHooks {
  readonly hooks: readonly ClaimedHook[];
  /** As many were due as were asked for, so that there may be more. */
  readonly isFull: boolean;
}

/** A hook that belongs to a processor. */
export interface ClaimedHook {
  /** With its version since it was claimed, which fences the processor. */
  readonly id: FragnoId;
  /** Tries that came to their end before this one. */
  readonly attemptCount: number;
  /** As the library reads it. */
  readonly row: Readonly<Record<string, unknown>>;
}

/**
 * Takes due hooks, oldest first, in one trip. A lease that ran out counts as an attempt, because the processor that held
 * it may have run the hook; a hook whose leases run out again and again fails instead.
 *
 * @throws {DatabaseError} as `Database.batch`
 */
export async function claimHooks(
  { executing: { database, retry }, namespaces }: AdapterInsides,
  claim: HookClaim,
): Promise<ClaimedHooks> {
  const scope = { dialect: database.dialect, namespace: INTERNAL_NAMESPACE };
  const compiled = compileClaim(scope, tableOf(namespaces.internal, HOOKS_TABLE), claim);
  const statement = toStatement(compiled.sql, database.dialect);
  const result = await batchWithRetry(database, [statement], retry);
  if (result.kind !== "committed") throw new library.ConcurrencyConflictError(result.kind);
  const rows = result.rows[0] ?? [];
  return { hooks: compiled.read(rows), isFull: rows.length >= claim.limit };
}

/** A claim as one statement, and what its rows say. */
export function compileClaim(
  scope: Scope,
  table: AnyTable,
  claim: HookClaim,
): { readonly sql: Sql; readonly read: (rows: readonly Row[]) => readonly ClaimedHook[] } {
  const alias = tableSql(scope, table).parts.join("");
  const selection = planSelection(scope, { table, alias }, { columns: true, joins: [] });
  return {
    sql: claimSql(scope, table, claim, selection),
    read: (rows) => readClaimed(rows, selection),
  };
}

function claimSql(scope: Scope, table: AnyTable, claim: HookClaim, { items }: Selection): Sql {
  const name = tableSql(scope, table);
  const alias = name.parts.join("");
  const at = (column: string): Sql => columnSql(scope, alias, column);
  const own = (column: string): Sql => columnSql(scope, null, column);
  const spent = sql`case when ${at("status")} = 'processing' then 1 else 0 end`;
  const isExhausted = sql`${at("attempts")} + ${spent} >= ${at("maxAttempts")} + ${raw(String(SPARE_LEASES))} and ${at("status")} = 'processing'`;
  const internalId = own(INTERNAL_ID);
  return sql`with due as materialized (${dueSql(scope, table, claim)}) update ${name} set ${joinSql(
    [
      sql`${own("attempts")} = ${at("attempts")} + ${spent}`,
      sql`${own("error")} = case when ${isExhausted} then ${param(DIED)} else ${at("error")} end`,
      sql`${own("lastAttemptAt")} = ${instant(scope, table, "lastAttemptAt", 0)}`,
      sql`${own("nextRetryAt")} = ${instant(scope, table, "nextRetryAt", claim.leaseMs)}`,
      sql`${own(VERSION)} = ${at(VERSION)} + 1`,
      sql`${own("status")} = case when ${isExhausted} then 'failed' else 'processing' end`,
    ],
    ", ",
  )} where ${internalId} in (select ${internalId} from due) returning ${joinSql(
    items.map((item) => selectedSql(scope, item)),
    ", ",
  )}`;
}

/** Internal ids of due hooks; on Postgres they are locked, and those that others hold are passed over. */
function dueSql(scope: Scope, table: AnyTable, { namespace, limit }: HookClaim): Sql {
  const { dialect } = scope;
  const at = (column: string): Sql => columnSql(scope, "d", column);
  const lock = raw(dialect.forUpdate("d", { skipLocked: true }));
  return sql`select ${at(INTERNAL_ID)} from ${tableSql(scope, table)} as d where ${at("namespace")} = ${param(namespace)} and ${dueHooksSql(scope, table, "d")} order by ${at(INTERNAL_ID)} limit ${param(limit)} ${lock}`;
}

function instant(scope: Scope, table: AnyTable, column: string, offsetMs: number): Sql {
  return valueSql(scope, table, columnOf(table, column), dbNow(offsetMs));
}

function readClaimed(rows: readonly Row[], { decode }: Selection): readonly ClaimedHook[] {
  return rows
    .filter((row) => row["status"] === "processing")
    .toSorted((a, b) => Number(a[INTERNAL_ID]) - Number(b[INTERNAL_ID]))
    .map((claimed) => {
      // The lease's end stands where the library looks for the time of the next try.
      const row = decode({ ...claimed, nextRetryAt: null });
      const { id, attempts } = row;
      return { id: id as FragnoId, attemptCount: Number(attempts), row };
    });
}
