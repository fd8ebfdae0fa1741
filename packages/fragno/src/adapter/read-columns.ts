/** Selects columns, and decodes them into Fragno's values; the same for rows and for the JSON of joins. */
import { library } from "./library.ts";
import { columnTypesOf } from "./column-types.ts";
import { FragnoAdapterError } from "./errors.ts";
import type { AnyColumn } from "./internals.ts";
import { type Sql, wrapSql } from "./sql.ts";
import type { Scope } from "./tables.ts";

/** The expression that selects a column. */
export function readSql({ dialect }: Scope, column: AnyColumn, reference: Sql): Sql {
  const { read } = columnTypesOf(dialect);
  if (column.type === "timestamp" || column.type === "date")
    return wrapSql(dialect.toMs, reference);
  if (column.type === "json") return wrapSql(read.json, reference);
  if (column.type === "binary") return wrapSql(read.binary, reference);
  return column.type === "bigint" && column.role === "regular"
    ? wrapSql(read.bigint, reference)
    : reference;
}

/** The value of a column selected by `readSql`. */
export function decodeColumn(column: AnyColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (column.role === "reference")
    return library.FragnoReference.fromInternal(toBigint(value, column));
  const decode = DECODERS[column.type];
  return decode === undefined ? value : decode(value, column);
}

/** By column type; text stays as it is. */
const DECODERS: Readonly<Record<string, (value: unknown, column: AnyColumn) => unknown>> = {
  timestamp: (value) => new Date(toEpochMs(value)),
  date: (value) => new Date(toEpochMs(value)),
  json: (value) => JSON.parse(value as string) as unknown,
  binary: (value) => toBytes(value as string),
  bigint: (value, column) => toBigint(value, column),
  bool: (value) => value === true || value === 1,
  integer: Number,
  decimal: Number,
};

// SQLite's CURRENT_TIMESTAMP, which Fragno declares as a default, is UTC text without a time zone.
const toEpochMs = (value: unknown): number =>
  typeof value === "string" && !/^-?\d+$/u.test(value)
    ? Date.parse(`${value.replace(" ", "T")}Z`)
    : Number(value);

const toBytes = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );

function toBigint(value: unknown, column: AnyColumn): bigint {
  try {
    const number = BigInt(value as string | number);
    // Eight bytes stored by Fragno's own adapter: the sign is the first bit.
    return typeof value === "string" && value.startsWith("0x") ? BigInt.asIntN(64, number) : number;
  } catch {
    throw new FragnoAdapterError(
      "INVALID_VALUE",
      `The column "${column.tableName}.${column.name}" holds no whole number`,
      { table: column.tableName, column: column.name },
    );
  }
}
