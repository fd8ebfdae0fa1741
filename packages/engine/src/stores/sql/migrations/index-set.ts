/** The two sets of indexes on SQLite, and where the choice is stored. Pure. */
import type { Database } from "@escapement/db";
import type { Supplements } from "./migration-set.ts";

/**
 * `lean`: the indexes for claims, commits, events, look-ups by id, and lists by time of creation. `full`: also those for lists
 * by status and pages of long histories.
 */
export type IndexSet = "lean" | "full";

/** The key of the row in `fragno_db_settings` that stores the set. */
export const INDEX_SET_KEY = "workflows.indexes";

/**
 * Decides which set a database gets.
 *
 * @param remembered what the database has stored; anything but a set is ignored
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

/** The statements that give a database this set of indexes and store the choice. Each can be repeated. */
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

/** Definitions of indexes by name, as the database reports them; null: it reports only the name. */
export type FoundIndexes = ReadonlyMap<string, string | null>;

/** Whether the statements would not change the indexes that were found. */
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

/** The final state of each index in the statements: its definition from the name on, or null if it is dropped. */
function toExpected(statements: readonly string[]): ReadonlyMap<string, string | null> {
  const expected = new Map<string, string | null>();
  for (const statement of statements) {
    const { name, definition = null } =
      (CREATE.exec(statement) ?? DROP.exec(statement))?.groups ?? {};
    if (name !== undefined) expected.set(name, definition);
  }
  return expected;
}
