/** What recognising a transaction comes to. */
import type { Dialect } from "../../dialect/dialect.ts";
import type { Runner } from "./runner.ts";

/** A transaction that was recognised, for the kind of database that it is on. */
export interface Opened {
  /** null: its client does not tell; the database will. */
  readonly dialect: Dialect["name"] | null;
  readonly runner: (dialect: Dialect["name"]) => Runner;
}

/** Tells whether a transaction is of one client. null: it is not. @throws {DatabaseError} TRANSACTION_UNUSABLE: it is, and not open */
export type Opening = (transaction: object) => Opened | null;

/** Whether a value has a method of the name. */
export const hasMethod = <const TName extends string>(
  value: object,
  name: TName,
): value is Readonly<Record<TName, (...parameters: readonly unknown[]) => unknown>> =>
  typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
