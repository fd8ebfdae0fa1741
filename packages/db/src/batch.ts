/**
 * The Batch port: an ordered list of statements goes in, and rows come out; one transaction, one round trip.
 *
 * Everything that Escapement writes goes through this one method, so a driver without interactive transactions (HTTP databases) is as
 * good as one with them.
 */
import type { Dialect } from "./dialect/dialect.ts";

/** A bound parameter. Instants travel as epoch milliseconds, payloads as JSON text that the caller encoded. */
export type SqlValue = string | number | boolean | null;

/** One statement in the dialect's own text (`$1` on Postgres, `?1` on SQLite) with its parameters in order. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * One row by column name. Integers and numerics arrive as numbers (beyond 2^53 digits are lost), booleans as booleans on
 * Postgres and 0/1 on SQLite, text and JSON as the text itself, everything else as the database's own text.
 */
export type Row = Readonly<Record<string, unknown>>;

/** Every statement was applied; `rows[i]` are the rows of statement `i` (empty when it returns none). */
export interface Committed {
  readonly kind: "committed";
  readonly rows: readonly (readonly Row[])[];
}

/**
 * Nothing was applied because another writer was there first. A value, not an exception: the caller decides.
 *
 * `guard`: a guard statement of this batch was false; `guard` names it. The others ask for a retry with jitter:
 * `serialization` (Postgres 40001), `deadlock` (40P01), `busy` (SQLITE_BUSY, SQLITE_LOCKED). `locked` (55P03): a row
 * stayed locked for as long as the client waits; whoever holds it may hold it longer.
 */
export interface Conflict {
  readonly kind: "conflict";
  readonly reason: "guard" | "serialization" | "deadlock" | "busy" | "locked";
  readonly guard: string | null;
}

/** Nothing was applied because a unique index refused a row. */
export interface UniqueViolation {
  readonly kind: "unique";
  /**
   * Postgres: name of the constraint or index. SQLite: the columns as `table.column, table.column`, or the name of an
   * index over expressions. Empty when the driver does not tell.
   */
  readonly constraint: string;
}

/** The result of a batch. Anything else is thrown as a `DatabaseError`. */
export type BatchResult = Committed | Conflict | UniqueViolation;

/** How to apply a batch. A client that cannot follow an option ignores it. */
export interface BatchOptions {
  /**
   * Every statement finds its rows by an index. The database need not consider other plans, which look cheap while a table is small
   * or its statistics are old, and which a prepared statement keeps. @default false
   */
  readonly byKeys?: boolean;
}

/** What a process listens for, and what to call. */
export interface Listening {
  /** The name of the notified channel, up to 63 bytes. It is called again whenever listening starts again. */
  readonly channel: () => Promise<string>;
  /** Whether there is something to do. Called if a database only reports that something was committed, as a file does. */
  readonly isDue: () => Promise<boolean>;
  /** Other processes may have left something to do. Hints can be unnecessary, get lost, and come in bursts. */
  readonly onHint: () => void;
  /**
   * Hints do not arrive at the moment. They will again once listening succeeds, which is tried again and again.
   *
   * @param isFinal listening was given up, because a pooler keeps notifications back
   */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void;
}

/**
 * A database client. Implementations MUST apply a batch atomically, in order, in one network round trip, and MUST
 * survive a lost connection: the call in flight throws `DATABASE_UNAVAILABLE`, the next one may succeed.
 */
export interface Database {
  readonly dialect: Dialect;
  /** Batches run one after another in this process, so a second one at the same time gains nothing. @default false */
  readonly isSerial?: boolean;
  /** Batches never leave the process, as in a Durable Object, so none is a subrequest. @default false */
  readonly isLocal?: boolean;
  /** Every row written is billed, including those of indexes, as on D1, Durable Objects and Turso. @default false */
  readonly billsRows?: boolean;
  /**
   * Applies the statements atomically and in order. An empty batch is committed at once, without a trip.
   *
   * @throws {DatabaseError} DATABASE_UNAVAILABLE — connection lost or refused; it is unknown whether the batch was applied, so
   *   repeat only what is idempotent
   * @throws {DatabaseError} DATABASE_REJECTED — the database refused a statement for another reason (a bug)
   * @throws {DatabaseError} DATABASE_ACCESS_REFUSED — the database refuses this user, password, token or file name
   */
  batch(statements: readonly Statement[], options?: BatchOptions): Promise<BatchResult>;
  /**
   * Listens for commits of other processes until the returned function is called. A hint saves waiting but is not reliable: listeners
   * also look by themselves. Absent: not supported.
   */
  listen?(listening: Listening): () => void;
  /** Releases connections. A batch after this throws `DATABASE_UNAVAILABLE`. */
  close(): Promise<void>;
}
