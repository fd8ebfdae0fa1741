import { expect, test } from "vitest";
import { assertStatement } from "./assert-statement.ts";

test("comments before a statement are passed over in one way each, however many there are", () => {
  const comments = "/* a * b */ -- c\n".repeat(1000);
  assertStatement(`${comments}insert into entry values (1)`, []);
  expect(() => assertStatement(`${comments}commit`, [])).toThrow("ends a transaction");
});
