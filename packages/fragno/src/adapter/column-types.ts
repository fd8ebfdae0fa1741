/** How each database stores Fragno's column types: the one place that knows. */
import type { Dialect } from "@escapement/db/client";

/** Wraps a value: SQL text in, SQL text out. */
type Around = (expression: string) => string;

/** What Fragno's column types need from a database beyond the dialect. */
export interface ColumnTypes {
  /** Reads a column in a form that survives JSON; null stays null. */
  readonly read: {
    readonly bigint: Around;
    readonly json: Around;
    readonly binary: Around;
  };
  /** Stores a parameter. */
  readonly write: {
    /** From decimal text. */
    readonly bigint: Around;
    /** From hexadecimal text. */
    readonly binary: Around;
    /** From an instant, for a column of days. */
    readonly date: Around;
  };
  /** An instant as ISO text with the column's full precision, for cursors. */
  readonly exactInstant: Around;
  /** The text before and after a pattern made by `pattern`; the comparison is case-sensitive. */
  readonly matches: readonly [string, string];
  /** A pattern for `text` in which no character is special. */
  readonly pattern: (
    text: string,
    open: { readonly start: boolean; readonly end: boolean },
  ) => string;
  /** Equality that is also true for two nulls. */
  readonly isSame: string;
  /** A JSON object of the row `r` with these members; `nested` ones contain JSON. */
  readonly jsonRow: (
    members: readonly { readonly name: string; readonly nested: boolean }[],
  ) => string;
  /** A JSON array of the rows' JSON objects, never null. */
  readonly jsonRows: Around;
}

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const postgres: ColumnTypes = {
  read: {
    bigint: (column) => `${column}::text`,
    json: (column) => `${column}::text`,
    binary: (column) => `encode(${column}, 'hex')`,
  },
  write: {
    bigint: (value) => `${value}::bigint`,
    binary: (value) => `decode(${value}, 'hex')`,
    date: (instant) => `${instant}::date`,
  },
  exactInstant: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  matches: [" like ", " escape '\\'"],
  pattern: (text, { start, end }) =>
    `${start ? "%" : ""}${text.replaceAll(/[\\%_]/gu, "\\$&")}${end ? "%" : ""}`,
  isSame: "is not distinct from",
  jsonRow: () => "row_to_json(r)",
  jsonRows: (object) => `coalesce(json_agg(${object}), '[]'::json)`,
};

const sqlite: ColumnTypes = {
  read: {
    // Fragno declares these columns as blobs and itself stores eight bytes, which sort incorrectly; we store integers.
    bigint: (column) =>
      `case typeof(${column}) when 'blob' then '0x' || hex(${column}) else cast(${column} as text) end`,
    json: (column) => column,
    binary: (column) => `case when ${column} is null then null else hex(${column}) end`,
  },
  write: {
    bigint: (value) => `cast(${value} as integer)`,
    binary: (value) => `unhex(${value})`,
    date: (instant) => instant,
  },
  exactInstant: (column) => column,
  // LIKE ignores case here; GLOB does not.
  matches: [" glob ", ""],
  pattern: (text, { start, end }) =>
    `${start ? "*" : ""}${text.replaceAll(/[*?[]/gu, "[$&]")}${end ? "*" : ""}`,
  isSame: "is",
  jsonRow: (members) =>
    `json_object(${members.map(({ name, nested }) => `${quoteText(name)}, ${nested ? `json(r.${quoteName(name)})` : `r.${quoteName(name)}`}`).join(", ")})`,
  jsonRows: (object) => `json_group_array(${object})`,
};

/** The column types of a dialect. */
export const columnTypesOf = ({ name }: Dialect): ColumnTypes =>
  name === "postgres" ? postgres : sqlite;
