/** Reads the answer of the batch function. */
import type { Row } from "../../batch.ts";
import { RowDecoder } from "../row-decoder.ts";

/** One statement's answer: names of its columns, their types in the words of `cursor_to_xmlschema`, and its rows as text; null: no rows. */
type Result = readonly [
  names: readonly string[] | null,
  types: readonly string[] | null,
  lines: readonly string[],
];

/** The rows of each statement. @param records the Data API's answer for `formatRecordsAs: "JSON"` */
export function decodeAnswer(records: string): readonly (readonly Row[])[] {
  const chunks = JSON.parse(records) as readonly { readonly chunk: string }[];
  const results = JSON.parse(chunks.map(({ chunk }) => chunk).join("")) as readonly Result[];
  return results.map(decodeResult);
}

const BOOL_OID = 16;
const NUMERIC_OID = 1700;
const TEXT_OID = 25;

const NUMBER_TYPE = /^(?:SMALLINT|INTEGER|BIGINT|REAL|DOUBLE|NUMERIC.*|UDT\..*\.pg_catalog\.oid)$/;

function decodeResult([names, types, lines]: Result): readonly Row[] {
  const decoder = new RowDecoder(
    (names ?? []).map((name, index) => ({ name, dataTypeID: toOid(types?.[index] ?? "") })),
  );
  return lines.map((line) => decoder.decode(parseRow(line.replaceAll(/["'^\\]/g, swap))));
}

const SWAPPED: Readonly<Record<string, string>> = { '"': "'", "'": '"', "^": "\\", "\\": "^" };

const swap = (character: string): string => SWAPPED[character] ?? character;

function toOid(type: string): number {
  if (type === "BOOLEAN") return BOOL_OID;
  return NUMBER_TYPE.test(type) ? NUMERIC_OID : TEXT_OID;
}

const VALUE = /(?:"(?<quoted>(?:[^"\\]+|""|\\\\)*)"|(?<bare>[^,")]*))[,)]/gy;

/**
 * Values of a row from its text, `(1,"two words",,"")`: nothing between two commas is null.
 *
 * @source https://www.postgresql.org/docs/18/rowtypes.html#ROWTYPES-IO-SYNTAX, read 2026-11
 */
export function parseRow(line: string): readonly (string | null)[] {
  const values: (string | null)[] = [];
  VALUE.lastIndex = 1;
  while (VALUE.lastIndex < line.length) {
    const groups = VALUE.exec(line)?.groups;
    if (groups === undefined) throw new SyntaxError("not the text of a row");
    const { quoted, bare = "" } = groups;
    if (quoted === undefined) values.push(bare === "" ? null : bare);
    else values.push(quoted.replaceAll(/""|\\\\/g, (pair) => pair.charAt(0)));
  }
  return values;
}
