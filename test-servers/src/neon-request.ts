/** What Neon's HTTP endpoint does with one request, on a connection of PostgreSQL. */
import type { IncomingHttpHeaders } from "node:http";
import pg from "pg";

interface NeonQuery {
  readonly query: string;
  readonly params?: readonly (string | number | boolean | null)[];
}

type NeonPayload = NeonQuery | { readonly queries: readonly NeonQuery[] };

/** Runs a request's query, or its queries in one transaction; the body of the answer. */
export async function runNeonRequest(
  pool: pg.Pool,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<object> {
  const payload = JSON.parse(body) as NeonPayload;
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    if (!("queries" in payload)) return await runQuery(client, payload);
    await client.query(`begin${transactionModes(headers)}`);
    const results: object[] = [];
    for (const query of payload.queries) results.push(await runQuery(client, query));
    await client.query("commit");
    return { results };
  } catch (error) {
    await client.query("rollback").catch((lost: Error) => void (failure = lost));
    throw error;
  } finally {
    client.release(failure);
  }
}

const ISOLATION_LEVELS: Readonly<Record<string, string>> = {
  ReadUncommitted: "read uncommitted",
  ReadCommitted: "read committed",
  RepeatableRead: "repeatable read",
  Serializable: "serializable",
};

function transactionModes(headers: IncomingHttpHeaders): string {
  const level = ISOLATION_LEVELS[String(headers["neon-batch-isolation-level"])];
  return [
    level === undefined ? "" : ` isolation level ${level}`,
    headers["neon-batch-read-only"] === "true" ? " read only" : "",
    headers["neon-batch-deferrable"] === "true" ? " deferrable" : "",
  ].join("");
}

// The driver always asks for arrays of raw text (`Neon-Array-Mode`, `Neon-Raw-Text-Output`).
const RAW_TEXT = { getTypeParser: () => (text: string) => text };

// Neon's proxy never uses the simple protocol, which would take several statements in one text. pg's types do not know the option.
const EXTENDED = { queryMode: "extended" };

async function runQuery(client: pg.PoolClient, { query, params = [] }: NeonQuery): Promise<object> {
  const asked: pg.QueryArrayConfig = {
    text: query,
    values: params.map((value) => (value === null ? null : String(value))),
    rowMode: "array",
    types: RAW_TEXT,
    ...EXTENDED,
  };
  const { command, rowCount, fields, rows } = await client.query(asked);
  return { command, rowCount, rowAsArray: true, fields, rows: rows as unknown };
}

const ERROR_FIELDS = [
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "severity",
  "where",
  "table",
  "column",
  "schema",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** Status and body for what went wrong. */
export function describeNeonError(error: unknown): { status: number; body: object } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SyntaxError) return { status: 400, body: { message } };
  if (!(error instanceof pg.DatabaseError)) return { status: 500, body: { message } };
  const fields = ERROR_FIELDS.map((name) => [name, error[name] ?? null]);
  return { status: 400, body: { message, ...Object.fromEntries(fields) } };
}
