/** Claims due hooks. */
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

/** Written to hooks whose attempts were used up by processors that died. */
const DIED = "The processor died or lost its lease";
/**
 * How many leases a hook may lose beyond its attempts. It is unknown whether a hook that was claimed and never marked had started,
 * because the answer to the claim may have been lost. So one lost lease does not fail it, even if it has only one attempt.
 */
const SPARE_LEASES = 5;

/** A claim of the due hooks of one namespace. */
export interface HookClaim {
  readonly namespace: string;
  /** The most hooks to claim. */
  readonly limit: number;
  /** How long the processor holds them, in milliseconds. */
  readonly leaseMs: number;
}

/** The answer to a claim. */
export interface ClaimedHooks {
  readonly hooks: readonly ClaimedHook[];
  /** It found as many as it asked for, so there may be more. */
  readonly isFull: boolean;
}

/** A hook that a processor holds. */
export interface ClaimedHook {
  /** With its version after the claim, which fences the processor. */
  readonly id: FragnoId;
  /** How many attempts ended before this one. */
  readonly attemptCount: number;
  /** In the form that the library reads. */
  readonly row: Readonly<Record<string, unknown>>;
}

/**
 * Takes due hooks, oldest first, in one trip. An expired lease counts as an attempt, because its processor may have run the hook; a hook
 * whose leases expire again and again fails instead.
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

/** A claim as one statement, and a decoder for its rows. */
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

/** The internal ids of due hooks; on Postgres they are locked, and hooks that others have locked are skipped. */
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
      // The lease's end is in the column where the library looks for the time of the next attempt.
      const row = decode({ ...claimed, nextRetryAt: null });
      const { id, attempts } = row;
      return { id: id as FragnoId, attemptCount: Number(attempts), row };
    });
}
