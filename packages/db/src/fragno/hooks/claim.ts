/** Claiming due hooks: the answer to the library's own look for them, when a processor asks. */
import type { Row } from "../../batch.ts";
import type { CompiledRead } from "../compile-read.ts";
import { dbNow } from "../db-now.ts";
import { type AnyTable, type FindOperation, INTERNAL_ID, VERSION } from "../internals.ts";
import { planSelection, selectedSql } from "../select.ts";
import { joinSql, param, raw, sql, type Sql } from "../sql.ts";
import { columnOf, columnSql, type Scope, tableSql } from "../tables.ts";
import { valueSql } from "../write-columns.ts";
import type { HookClaim } from "./claims.ts";
import { dueHooksSql } from "./leases.ts";

/** Written to hooks that used up their attempts by processors that died. */
const DIED = "The processor died or lost its lease";

type Claim = HookClaim & { readonly namespace: string };

/**
 * Takes due hooks, oldest first, and gives them as the library wants to read them. A lease that ran out counts as an
 * attempt, because the processor that held it may have run the hook; a hook without attempts left fails instead.
 */
export function compileHookClaim(scope: Scope, op: FindOperation, claim: Claim): CompiledRead {
  const { table } = op;
  const name = tableSql(scope, table);
  const alias = name.parts.join("");
  const selection = planSelection(scope, { table, alias }, { columns: true, joins: [] });
  const at = (column: string): Sql => columnSql(scope, alias, column);
  const own = (column: string): Sql => columnSql(scope, null, column);
  const spent = sql`case when ${at("status")} = 'processing' then 1 else 0 end`;
  const lastAttempt = instant(scope, table, "lastAttemptAt", 0);
  const leaseEnd = instant(scope, table, "nextRetryAt", claim.leaseMs);
  const isExhausted = sql`${at("attempts")} + ${spent} >= ${at("maxAttempts")} and ${at("status")} = 'processing'`;
  const internalId = own(INTERNAL_ID);
  const statement = sql`with due as materialized (${dueSql(scope, table, claim)}) update ${name} set ${joinSql(
    [
      sql`${own("attempts")} = ${at("attempts")} + ${spent}`,
      sql`${own("error")} = case when ${isExhausted} then ${param(DIED)} else ${at("error")} end`,
      sql`${own("lastAttemptAt")} = ${lastAttempt}`,
      sql`${own("nextRetryAt")} = ${leaseEnd}`,
      sql`${own(VERSION)} = ${at(VERSION)} + 1`,
      sql`${own("status")} = case when ${isExhausted} then 'failed' else 'processing' end`,
    ],
    ", ",
  )} where ${internalId} in (select ${internalId} from due) returning ${joinSql(
    selection.items.map((item) => selectedSql(scope, item)),
    ", ",
  )}`;
  return { sql: statement, writes: true, decode: (rows) => decodeClaimed(rows, selection, claim) };
}

/** Internal ids of due hooks; on Postgres they are locked, and those that others hold are passed over. */
function dueSql(scope: Scope, table: AnyTable, { namespace, limit }: Claim): Sql {
  const { dialect } = scope;
  const at = (column: string): Sql => columnSql(scope, "d", column);
  const lock = raw(dialect.forUpdate("d", { skipLocked: true }));
  return sql`select ${at(INTERNAL_ID)} from ${tableSql(scope, table)} as d where ${at("namespace")} = ${param(namespace)} and ${dueHooksSql(scope, table, "d")} order by ${at(INTERNAL_ID)} limit ${param(limit)} ${lock}`;
}

function instant(scope: Scope, table: AnyTable, column: string, offsetMs: number): Sql {
  return valueSql(scope, table, columnOf(table, column), dbNow(offsetMs));
}

function decodeClaimed(
  rows: readonly Row[],
  selection: ReturnType<typeof planSelection>,
  claim: Claim,
): unknown {
  const claimed = rows
    .filter((row) => row["status"] === "processing")
    .toSorted((a, b) => Number(a[INTERNAL_ID]) - Number(b[INTERNAL_ID]));
  claim.onClaimed({
    hooks: claimed.map((row) => ({ id: String(row["id"]), version: Number(row[VERSION]) })),
    isFull: rows.length >= claim.limit,
  });
  // The lease's end stands where the library looks for the time of the next try.
  return claimed.map((row) => selection.decode({ ...row, nextRetryAt: null }));
}
