/** The selection from one table, and how its rows become records. */
import type { Row } from "@escapement/db";
import { raw, sql, type Sql } from "./sql.ts";
import type { Scope } from "./tables.ts";

/** A selected expression and its name. */
export interface Selected {
  readonly name: string;
  readonly expression: Sql;
  /** The value is JSON of rows, to be embedded as JSON. */
  readonly nested: boolean;
}

/** One table's part of a read. */
export interface Selection {
  readonly items: readonly Selected[];
  /** Decodes a row, or the JSON object of one, into the record for Fragno's caller. */
  readonly decode: (row: Row) => Record<string, unknown>;
}

/** A selected expression in the list of a SELECT. */
export function selectedSql({ dialect }: Scope, { name, expression }: Selected): Sql {
  return sql`${expression} as ${raw(dialect.quote(name))}`;
}
