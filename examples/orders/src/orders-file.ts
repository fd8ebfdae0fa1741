/** Reads orders from a CSV file and says line by line what is wrong with them. */
import { readFileSync } from "node:fs";
import { CsvError, type Info, parse } from "csv-parse/sync";
import * as v from "valibot";
import { codeOf, DemoError } from "./demo-error.ts";
import type { Order } from "./order.ts";

const COLUMNS = ["id", "customer", "sku", "quantity", "amount", "currency"] as const;
/** Problems shown before the rest is only counted. */
const MAX_SHOWN = 10;

const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^\d{1,6}$/, "is not a whole number"),
  v.transform(Number),
  v.minValue(1, "is below 1"),
);

const rowSchema = v.object({
  id: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9][\w-]{0,59}$/, "is not 1 to 60 letters, digits, - or _"),
  ),
  customer: v.pipe(v.string(), v.minLength(1, "is empty"), v.maxLength(200, "is too long")),
  sku: v.pipe(v.string(), v.regex(/^[A-Z0-9][A-Z0-9-]{0,39}$/, "is no article number")),
  quantity: wholeNumber,
  amount: v.pipe(
    v.string(),
    v.regex(/^\d{1,9}\.\d\d$/, "is not an amount such as 129.00"),
    v.transform((text) => Number(text.replace(".", ""))),
    v.minValue(1, "is nothing"),
  ),
  currency: v.picklist(["EUR", "USD", "GBP"], "is not EUR, USD or GBP"),
});

interface Line {
  readonly record: Readonly<Record<string, string>>;
  readonly info: Pick<Info, "lines">;
}

/**
 * Orders of a file, in its order.
 *
 * @throws {DemoError} the file cannot be read, or a line of it is wrong; the message names each line
 */
export function readOrders(path: string): readonly Order[] {
  const lines = parseLines(readText(path), path);
  const problems: string[] = [];
  const linesById = new Map<string, number>();
  const orders = lines.flatMap(({ record, info }): Order[] => {
    const result = v.safeParse(rowSchema, record);
    if (!result.success) {
      problems.push(...result.issues.map((issue) => `line ${info.lines}: ${describe(issue)}`));
      return [];
    }
    const { amount, ...row } = result.output;
    const first = linesById.get(row.id);
    if (first !== undefined)
      problems.push(`line ${info.lines}: id "${row.id}" is on line ${first} already`);
    linesById.set(row.id, info.lines);
    return [{ ...row, amountCents: amount }];
  });
  if (problems.length > 0) throw new DemoError(summarize(path, problems));
  if (orders.length === 0) throw new DemoError(`${path} has no orders`);
  return orders;
}

function readText(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why: Record<string, string> = {
      ENOENT: "there is no such file",
      EACCES: "it may not be read",
      EISDIR: "it is a directory",
    };
    throw new DemoError(`cannot read ${path}: ${why[codeOf(error)] ?? String(error)}`);
  }
}

function parseLines(text: Buffer, path: string): readonly Line[] {
  try {
    return parse<Line>(text, {
      bom: true,
      columns: (names: readonly string[]) => checkColumns(names, path),
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new DemoError(`${path} is not a CSV file that can be read: ${error.message}`);
  }
}

function checkColumns(names: readonly string[], path: string): string[] {
  const missing = COLUMNS.filter((column) => !names.includes(column));
  if (missing.length === 0) return [...names];
  throw new DemoError(
    `${path} lacks the column${missing.length === 1 ? "" : "s"} ${missing.join(", ")}; its first line must name ${COLUMNS.join(", ")}`,
  );
}

const describe = (issue: v.BaseIssue<unknown>): string =>
  `${v.getDotPath(issue) ?? "line"} ${JSON.stringify(issue.input)} ${issue.message}`;

function summarize(path: string, problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => `  ${problem}`);
  const more = problems.length - shown.length;
  if (more > 0) shown.push(`  and ${more} more`);
  return `${path} has mistakes; nothing was started:\n${shown.join("\n")}`;
}
