/** The two sets of indexes that SQLite has a choice of, and where the choice is remembered. Pure. */
import type { Database } from "@escapement/db";
import type { Supplements } from "./migration-set.ts";

/**
 * `lean`: what claims, commits, events and look-ups by id go by, and lists by time of creation. `full`: what lists by status
 * and pages of long histories go by, too.
 */
export type IndexSet = "lean" | "full";

/** Key of the row of `fragno_db_settings` that remembers the set. */
export const INDEX_SET_KEY = "workflows.indexes";

/**
 * The set that a database is to have.
 *
 * @param remembered what the database says; anything but a set says nothing
 */
export function indexSetOf(
  { dialect, billsRows }: Pick<Database, "dialect" | "billsRows">,
  asked: IndexSet | undefined,
  remembered: unknown,
): IndexSet {
  if (dialect.name === "postgres") return "full";
  if (asked !== undefined) return asked;
  if (remembered === "lean" || remembered === "full") return remembered;
  return billsRows === true ? "lean" : "full";
}

/** Statements that give a database this set of indexes and remember it. Each can be repeated. */
export const toIndexSet = (
  dialect: Database["dialect"],
  { supplements, listIndexes }: Supplements,
  set: IndexSet,
): readonly string[] => [
  ...supplements,
  ...(set === "full" ? listIndexes : listIndexes.map(toDrop)),
  ...(dialect.name === "postgres"
    ? []
    : [
        `insert into "fragno_db_settings" ("id", "key", "value") values ('${INDEX_SET_KEY}', '${INDEX_SET_KEY}', '${set}') ` +
          `on conflict ("key") do update set "value" = excluded."value"`,
      ]),
];

/** Definitions that a database tells, by name; null: it tells the name alone. */
export type FoundIndexes = ReadonlyMap<string, string | null>;

/** Whether these statements would change nothing about the indexes found. */
export function areApplied(statements: readonly string[], found: FoundIndexes): boolean {
  return [...toExpected(statements)].every(([name, definition]) =>
    definition === null
      ? !found.has(name)
      : found.has(name) && (found.get(name)?.endsWith(definition) ?? true),
  );
}

const CREATE = /^create (?:unique )?index if not exists (?<definition>"(?<name>[^"]+)".*)$/u;
const DROP = /^(?:drop index|alter table "\w+" drop constraint) if exists "(?<name>[^"]+)"$/u;

const toDrop = (create: string): string =>
  `drop index if exists "${CREATE.exec(create)?.groups?.["name"]}"`;

/** The last word of each index that the statements speak of: its definition from its name on, or that there is none. */
function toExpected(statements: readonly string[]): ReadonlyMap<string, string | null> {
  const expected = new Map<string, string | null>();
  for (const statement of statements) {
    const { name, definition = null } =
      (CREATE.exec(statement) ?? DROP.exec(statement))?.groups ?? {};
    if (name !== undefined) expected.set(name, definition);
  }
  return expected;
}
