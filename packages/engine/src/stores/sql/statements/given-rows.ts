/** How rows are passed to a statement: any number of them as one JSON array, or a single one by its values, which costs less. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { expectOneRow } from "./planner-hints.ts";

/** `array`: parameter 1 is a JSON array. `single`: one parameter per column, in order. */
export type Giving = "array" | "single";

/** A statement over rows of the caller. */
export interface RowsStatement {
  readonly columns: readonly JsonColumn[];
  readonly text: (dialect: Dialect, giving: Giving) => string;
}

/** A statement over one row of the caller, which is passed by its values. */
export interface SingleStatement {
  readonly columns: readonly JsonColumn[];
  readonly text: (dialect: Dialect) => string;
}

/** FROM item `c`: the given rows. */
export const givenRows = (
  dialect: Dialect,
  giving: Giving,
  columns: readonly JsonColumn[],
): string =>
  giving === "array"
    ? dialect.jsonRows(dialect.param(1), "c", columns)
    : dialect.valueRow(1, "c", columns);

/** Added to a join of `c`, so that the planner does not expect a long array. */
export const expectFewGiven = (giving: Giving, column: string): string =>
  giving === "array" ? ` and ${expectOneRow(`c."${column}"`)}` : "";
