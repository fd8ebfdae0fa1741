import { DatabaseError } from "@escapement/db/client";
import { expect, test } from "vitest";
import { toSchemaMismatch } from "./schema-mismatch.ts";

const rejected = (message: string, cause?: unknown): DatabaseError =>
  new DatabaseError("DATABASE_REJECTED", message, cause);
const withCode = (code: string): Error => Object.assign(new Error("in any language"), { code });

test.each([
  ["Postgres, relation", rejected("x", withCode("42P01"))],
  ["Postgres, column", rejected("x", withCode("42703"))],
  ["Postgres, schema", rejected("x", withCode("3F000"))],
  ["Postgres, wrapped once more", rejected("x", new Error("y", { cause: withCode("42P01") }))],
  ["SQLite, table", rejected("SQLITE_ERROR: no such table: workflow_task_workflows")],
  ["SQLite, column", rejected("x", new Error("no such column: settledOrder"))],
  ["SQLite, insert", rejected("table workflow_step_workflows has no column named settledOrder")],
])("missing tables are recognised: %s", (_what, error) => {
  const mismatch = toSchemaMismatch(error);
  expect(mismatch?.code).toBe("SCHEMA_MISMATCH");
  expect(mismatch?.message).toContain("run migrate(database)");
  expect(mismatch?.cause).toBe(error);
});

test.each([
  ["another rejection", rejected("syntax error", withCode("42601"))],
  ["a lost connection", new DatabaseError("DATABASE_UNAVAILABLE", "no such table", null)],
  ["another error", new Error("no such table: workflow_task_workflows")],
  ["no error at all", "no such table"],
])("other errors are left alone: %s", (_what, error) => {
  expect(toSchemaMismatch(error)).toBeNull();
});
