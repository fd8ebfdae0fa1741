/** How rows reach a statement: any number of them as one JSON array, a single one by its values, which costs less. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { expectOneRow } from "./planner-hints.ts";

/** `array`: parameter 1 is a JSON array. `single`: one parameter per column, in order. */
export type Giving = "array" | "single";

/** A statement over rows of the caller. */
export interface RowsStatement {
  readonly columns: readonly JsonColumn[];
  readonly text: (dialect: Dialect, giving: Giving) => string;
}

/** A statement over one row of the caller, given by its values. */
export interface SingleStatement {
  readonly columns: readonly JsonColumn[];
  readonly text: (dialect: Dialect) => string;
}

/** FROM item `c`: the rows given. */
export const givenRows = (
  dialect: Dialect,
  giving: Giving,
  columns: readonly JsonColumn[],
): string =>
  giving === "array"
    ? dialect.jsonRows(dialect.param(1), "c", columns)
    : dialect.valueRow(1, "c", columns);

/** To be added to a join of `c`: keeps an array of unknown length from being taken for a long one. */
export const expectFewGiven = (giving: Giving, column: string): string =>
  giving === "array" ? ` and ${expectOneRow(`c."${column}"`)}` : "";
