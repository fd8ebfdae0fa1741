/** What a read selects of one table, and how its rows become records. */
import type { Row } from "@escapement/db";
import { raw, sql, type Sql } from "./sql.ts";
import type { Scope } from "./tables.ts";

/** A selected expression under its name. */
export interface Selected {
  readonly name: string;
  readonly expression: Sql;
  /** The value is JSON of rows, to be embedded as such. */
  readonly nested: boolean;
}

/** One table's part of a read. */
export interface Selection {
  readonly items: readonly Selected[];
  /** A row, or the JSON object of one, as the record that Fragno's caller gets. */
  readonly decode: (row: Row) => Record<string, unknown>;
}

/** Selected expressions as the list of a SELECT. */
export function selectedSql({ dialect }: Scope, { name, expression }: Selected): Sql {
  return sql`${expression} as ${raw(dialect.quote(name))}`;
}
