/** Another version of Fragno than the supported one is refused by its code before anything is written. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Application, type FragnoKind, installFragno } from "./other-fragno.ts";

/** A database that tells what is sent to it. */
const DATABASE = `const sent = [];
const database = {
  dialect: { name: "sqlite" },
  batch(statements) { sent.push(...statements); return Promise.resolve({ kind: "committed", rows: [] }); },
  close: () => Promise.resolve(),
};`;

const attempt = (work: string): string => `${DATABASE}
try { ${work}; console.log("fine", sent.length) } catch (error) { console.log(error.code, error.name, sent.length) }`;

const CONSTRUCT = attempt(
  `const { createFragnoAdapter } = await import("./adapter.mjs"); createFragnoAdapter({ database })`,
);
const IMPORT_FRAGMENT = attempt(`await import("./fragment.mjs")`);

/** A fragment of the installed Fragno on an adapter that brought the supported one along. */
const FOREIGN_FRAGMENT = attempt(`
const { createFragnoAdapter, sqliteDialect } = await import("./own.mjs");
database.dialect = sqliteDialect;
const { defineFragment, instantiate } = await import("@fragno-dev/core");
const { withDatabase } = await import("@fragno-dev/db");
const { schema, column, idColumn } = await import("@fragno-dev/db/schema");
const declare = (s) => s.addTable("thing", (t) => t.addColumn("id", idColumn()).addColumn("name", column("string")));
const things = schema.length === 1 ? schema(declare) : schema("things", declare);
const fragment = instantiate(defineFragment("things").extend(withDatabase(things)).build())
  .withConfig({}).withRoutes([]).withOptions({ databaseAdapter: createFragnoAdapter({ database }) }).build();
await fragment.inContext(function () {
  return this.handlerTx().mutate(({ forSchema }) => forSchema(things).create("thing", { name: "x" })).execute();
})`);

const open = (kind: FragnoKind): { run: (program: string) => string } => {
  let application: Application;
  beforeAll(async () => {
    application = await installFragno(kind);
  });
  afterAll(() => application.remove());
  return { run: (program) => application.run(program) };
};

const REFUSED = "FRAGNO_VERSION_UNSUPPORTED FragnoVersionError 0";

describe.each(["before", "named", "rebuilt"] as const)(
  "an application with another Fragno: %s",
  (kind) => {
    const application = open(kind);

    test("S5-048 the adapter refuses it where it is made", () => {
      expect(application.run(CONSTRUCT)).toBe(REFUSED);
    });

    test("S5-048 the workflows fragment refuses it where it is imported", () => {
      expect(application.run(IMPORT_FRAGMENT)).toBe(REFUSED);
    });

    test("S5-048 a fragment of it is refused by an adapter that has the supported version beside it", () => {
      expect(application.run(FOREIGN_FRAGMENT)).toBe(REFUSED);
    });
  },
);

describe("an application with the supported Fragno", () => {
  const application = open("supported");

  test("S5-048 the adapter, the fragment and a fragment of its own are at work", () => {
    expect(application.run(CONSTRUCT)).toBe("fine 0");
    expect(application.run(IMPORT_FRAGMENT)).toBe("fine 0");
    expect(application.run(FOREIGN_FRAGMENT)).toBe("fine 1");
  });
});
