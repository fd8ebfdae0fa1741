/** How another copy of Fragno is recognised; `proofs` installs other versions. */
import { schema } from "@fragno-dev/db/schema";
import { expect, test } from "vitest";
import { sqliteDialect } from "@escapement/db/client";
import { createFragnoAdapter } from "./adapter.ts";
import { createStockDatabase } from "./stock-database.ts";
import { KNOWN_VERSIONS, requireFragno, requireFragnoSchema } from "./library-version.ts";
import { library } from "./library.ts";
import { mailSchema } from "./testing/mail.ts";

const REFUSED = expect.objectContaining({
  code: "FRAGNO_VERSION_UNSUPPORTED",
  message: expect.stringContaining("@fragno-dev/db 0.2.2") as unknown,
  details: expect.objectContaining(KNOWN_VERSIONS) as unknown,
}) as Error;

const createAdapter = () => {
  const sent: unknown[] = [];
  const database = {
    dialect: sqliteDialect,
    batch: (statements: unknown) => {
      sent.push(statements);
      return Promise.reject(new RangeError("nothing is to be sent"));
    },
    close: () => Promise.resolve(),
  };
  return { adapter: createFragnoAdapter({ database }), sent };
};

test("S5-048 the supported version is what is installed here", () => {
  expect(() => requireFragno(library, schema)).not.toThrow();
});

test.each([
  ["a name is missing", { ...library, FindBuilder: undefined }, schema],
  [
    "schemas are named",
    library,
    (_name: string, declare: typeof schema) => schema(declare as never),
  ],
  ["schemas have names", library, (declare: never) => ({ ...schema(declare), name: "x" })],
  [
    "requests are stored in another way",
    {
      ...library,
      RequestContextStorage: class {
        hasStore(): boolean {
          return false;
        }
      },
    },
    schema,
  ],
])("S5-048 a version is another one when %s", (_how, other, declare) => {
  expect(() => requireFragno(other as typeof library, declare)).toThrow(REFUSED);
});

test("S5-048 what another version hands to an adapter is refused, and nothing is sent", () => {
  const { adapter, sent } = createAdapter();
  const { letter } = mailSchema.tables;
  const { ormName: _gone, ...to } = letter.columns.to;
  const unknownColumn = { ...letter, columns: { ...letter.columns, to } };
  const settings = { tables: { fragno_db_settings: letter }, version: 9, operations: [] };
  for (const [other, namespace] of [
    [{ ...mailSchema, name: "mail" }, "mail"],
    [{ ...mailSchema, tables: { letter: unknownColumn } }, "mail"],
    [settings, ""],
  ] as const)
    expect(() => adapter.createQueryEngine(other as never, namespace)).toThrow(REFUSED);
  for (const member of ["registerSchema", "createBaseUnitOfWork", "namingStrategy"])
    expect(() => adapter[member as never] as unknown).toThrow(REFUSED);
  expect(sent).toEqual([]);
});

test("S5-048 an adapter of a later Fragno is not taken for one of the supported", () => {
  const driver = { transaction: () => undefined };
  const later = { driver, driverConfig: { databaseType: "sqlite" } };
  expect(createStockDatabase(later)).not.toBeNull();
  const renamed = { ...later, namingStrategy: {} };
  expect(() => createStockDatabase(renamed)).toThrow(REFUSED);
});

test("a schema function that is none is refused, too", () => {
  expect(() => requireFragnoSchema(undefined)).toThrow(REFUSED);
});
