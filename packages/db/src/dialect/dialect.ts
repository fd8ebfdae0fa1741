/** The differences between databases, as one record. Nothing else in Escapement asks which database it is. */

/** A column of a JSON row set; `type` decides the Postgres cast (SQLite keeps JSON's own types). */
export interface JsonColumn {
  readonly name: string;
  readonly type: "text" | "bigint" | "boolean";
}

/** The SQL differences of one database family. All members are pure and return SQL text. */
export interface Dialect {
  readonly name: "postgres" | "sqlite";
  /** Placeholder of the 1-based parameter: `$1` or `?1`. */
  readonly param: (position: number) => string;
  /** Quoted identifier; quotes inside are doubled. */
  readonly quote: (identifier: string) => string;
  /**
   * Database time in whole milliseconds, in the form of a timestamp column. Postgres: the same for every statement of one batch.
   * SQLite: the same within one statement; during a batch it advances.
   */
  readonly now: string;
  /** `now` as epoch milliseconds (integer). */
  readonly nowMs: string;
  /** Like `now`, but at the time when the statement runs, after any wait for a lock. */
  readonly clock: string;
  /** `clock` as epoch milliseconds (integer). */
  readonly clockMs: string;
  /** An instant plus milliseconds, both in the form of a timestamp column (null stays null). */
  readonly plusMs: (instant: string, ms: string) => string;
  /** Expression that reads a timestamp column as epoch milliseconds (null stays null). */
  readonly toMs: (expression: string) => string;
  /** Expression that stores epoch milliseconds in a timestamp column (null stays null). */
  readonly fromMs: (expression: string) => string;
  /**
   * FROM item that turns a parameter with a JSON array of objects into rows named `alias`, in array order on every database that we know.
   */
  readonly jsonRows: (parameter: string, alias: string, columns: readonly JsonColumn[]) => string;
  /** FROM item with one row named `alias`, whose values are the parameters from `position` on, in the order of the columns. */
  readonly valueRow: (position: number, alias: string, columns: readonly JsonColumn[]) => string;
  /**
   * Joins each row so far to the matching rows of a table, in that order whatever the statistics say: the rows before are read
   * first, and the table is looked up once for each. Further joins or `where` may follow.
   *
   * @param index name of the index for the look-up, for databases that have to be told
   */
  readonly joinEach: (table: string, alias: string, condition: string, index?: string) => string;
  /** Like `joinEach`; a row without a match is kept, with nulls. */
  readonly leftJoinEach: (table: string, alias: string, condition: string) => string;
  /**
   * Condition: a unique column has this value. It can only be met by the column's index, from the value to the row: no plan walks
   * the table in the column's order and looks for each of its rows among the values.
   */
  readonly isKey: (column: string, value: string) => string;
  /** Like `isKey`, for the values from a SELECT of one column, which runs once, before the table is looked up. */
  readonly isKeyAmong: (column: string, select: string) => string;
  /** Goes after a table and its alias: the index for the look-up, for databases that have to be told; otherwise "". */
  readonly byIndex: (index: string) => string;
  /** Locking clause for rows of `alias`; empty if writers are serialised anyway. */
  readonly forUpdate: (alias: string, options?: { readonly skipLocked?: boolean }) => string;
  /**
   * A SELECT that fails the whole batch if `condition` is not true; the failure becomes a `conflict` whose `guard` is `name`
   * (`[a-z0-9_-]+`).
   */
  readonly guard: (name: string, condition: string) => string;
  /**
   * Text expression that notifies the listeners of a channel (`Database.listen`) once the batch is committed: once, however often a
   * batch calls it. null: not supported.
   */
  readonly notify: ((channel: string) => string) | null;
  /** JSON text of an object; `members` are expressions by name. */
  readonly jsonObject: (members: Readonly<Record<string, string>>) => string;
  /** UTF-8 bytes of a text (null stays null). */
  readonly byteLength: (text: string) => string;
  /** Smaller of two expressions, ignoring nulls. */
  readonly least: (a: string, b: string) => string;
  /** Larger of two expressions, ignoring nulls. */
  readonly greatest: (a: string, b: string) => string;
}
