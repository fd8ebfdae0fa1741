/** The input of the contract, and helpers that its parts share. */
import { expect } from "vitest";
import type { BatchResult, Database, Row, SqlValue, Statement } from "../batch.ts";

/** A fresh, empty database for one file of tests. */
export interface ContractSetup {
  readonly database: Database;
  /** Opens another client for the same data. Absent: there is only one connection. */
  readonly open?: () => Promise<Database>;
  /** Closes what `setup` opened, including the database. */
  readonly teardown: () => Promise<void>;
}

/** The capabilities of a client. A part of the contract is skipped only for one of these, and says so. */
export interface ContractCapabilities {
  /** Several writers at once, in this process. @default true */
  readonly concurrentWriters?: boolean;
}

/** The argument of `describeDatabaseContract`. */
export interface DatabaseContract {
  /** Name of the client in the test report. */
  readonly name: string;
  readonly setup: () => Promise<ContractSetup>;
  readonly capabilities?: ContractCapabilities;
  /** Why it cannot run here (a server is not installed); printed prominently. @default null */
  readonly skip?: string | null;
}

/** The context of every part of the contract. */
export interface ContractContext {
  /** The client under test; only inside a test. */
  readonly database: () => Database;
  /** Another client for the same data, or the same client if there is only one; closed after the test file. */
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

/** Applies statements that must succeed, and returns their rows. */
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

/** Creates a table with a unique name, and returns the name. `columns` is plain SQL that both families know. */
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
