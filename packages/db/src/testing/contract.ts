/** What a client gives the contract, and what the contract's parts share. */
import { expect } from "vitest";
import type { BatchResult, Database, Row, SqlValue, Statement } from "../batch.ts";

/** A fresh, empty database for one file of tests. */
export interface ContractSetup {
  readonly database: Database;
  /** Opens another client of the same data. Absent: it has only one connection. */
  readonly open?: () => Promise<Database>;
  /** Closes what `setup` opened, the database included. */
  readonly teardown: () => Promise<void>;
}

/** What a client can do; a part of the contract is skipped only for one of these, and says so. */
export interface ContractCapabilities {
  /** Several writers at once, in this process. @default true */
  readonly concurrentWriters?: boolean;
}

/** What `describeDatabaseContract` takes. */
export interface DatabaseContract {
  /** Name of the client in the test report. */
  readonly name: string;
  readonly setup: () => Promise<ContractSetup>;
  readonly capabilities?: ContractCapabilities;
  /** Why it cannot run here (a server is not installed); printed loudly. @default null */
  readonly skip?: string | null;
}

/** What every part of the contract works with. */
export interface ContractContext {
  /** The client under test; only inside a test. */
  readonly database: () => Database;
  /** Another client of the same data, or the same client where there is only one; closed after the test file. */
  readonly open: () => Promise<Database>;
  readonly capabilities: Required<ContractCapabilities>;
}

/** A statement; `?` stands for the parameters in order. */
export function sql(database: Database, text: string, ...values: SqlValue[]): Statement {
  let position = 0;
  return {
    text: text.replaceAll("?", () => database.dialect.param((position += 1))),
    values,
  };
}

/** Applies statements that must succeed; their rows. */
export async function apply(
  database: Database,
  ...statements: readonly Statement[]
): Promise<readonly (readonly Row[])[]> {
  return rowsOf(await database.batch(statements));
}

/** Rows of a batch that must have been committed. */
export function rowsOf(result: BatchResult): readonly (readonly Row[])[] {
  expect(result).toMatchObject({ kind: "committed" });
  return result.kind === "committed" ? result.rows : [];
}

/** Rows of one statement that must succeed. */
export async function select(
  database: Database,
  text: string,
  ...values: SqlValue[]
): Promise<readonly Row[]> {
  return (await apply(database, sql(database, text, ...values)))[0] ?? [];
}

let tables = 0;

/** Creates a table with a name of its own; returns the name. `columns` is plain SQL that both families know. */
export async function createTable(database: Database, columns: string): Promise<string> {
  tables += 1;
  const name = `contract_${tables}`;
  await apply(
    database,
    sql(database, `drop table if exists ${name}`),
    sql(database, `create table ${name} (${columns})`),
  );
  return name;
}
