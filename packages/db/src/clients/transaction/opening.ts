/** The result of recognising a transaction. */
import type { Dialect } from "../../dialect/dialect.ts";
import type { Runner } from "./runner.ts";

/** A recognised transaction, with its kind of database. */
export interface Opened {
  /** null: its client does not tell; the database will. */
  readonly dialect: Dialect["name"] | null;
  readonly runner: (dialect: Dialect["name"]) => Runner;
}

/**
 * Checks whether a transaction belongs to one client. null: it does not. @throws {DatabaseError} TRANSACTION_UNUSABLE: it does, but
 * is not open
 */
export type Opening = (transaction: object) => Opened | null;

/** Whether a value has a method with the name. */
export const hasMethod = <const TName extends string>(
  value: object,
  name: TName,
): value is Readonly<Record<TName, (...parameters: readonly unknown[]) => unknown>> =>
  typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
