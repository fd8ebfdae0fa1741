/** Turns Postgres's text values into rows. */
import type { Row } from "../batch.ts";

/** One column as the server describes it. */
export interface FieldDescription {
  readonly name: string;
  readonly dataTypeID: number;
}

const BOOL_OID = 16;
// int8, int2, int4, oid, float4, float8, numeric: https://github.com/postgres/postgres/blob/REL_18_0/src/include/catalog/pg_type.dat
const NUMBER_OIDS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);

type Kind = 0 | 1 | 2;
const TEXT: Kind = 0;
const NUMBER: Kind = 1;
const BOOLEAN: Kind = 2;

/** Decodes rows with the same columns. */
export class RowDecoder {
  readonly #names: readonly string[];
  readonly #kinds: readonly Kind[];

  constructor(fields: readonly FieldDescription[]) {
    this.#names = fields.map((field) => field.name);
    this.#kinds = fields.map(({ dataTypeID }) =>
      dataTypeID === BOOL_OID ? BOOLEAN : NUMBER_OIDS.has(dataTypeID) ? NUMBER : TEXT,
    );
  }

  /** One row from its values in column order. If two columns have the same name, the last one counts. */
  decode(values: readonly (string | null)[]): Row {
    const row: Record<string, unknown> = {};
    const names = this.#names;
    const kinds = this.#kinds;
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index] ?? null;
      const kind = kinds[index];
      row[names[index] ?? ""] =
        value === null || kind === TEXT ? value : kind === NUMBER ? Number(value) : value === "t";
    }
    return row;
  }
}
