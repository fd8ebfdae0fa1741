import { expect, test } from "vitest";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

test("a URL of something else, or of nothing, is refused with what it must begin with", () => {
  const beginning = "must begin with postgres:// or postgresql://";
  expect(() => postgres("mysql://127.0.0.1/db")).toThrow(`the URL ${beginning}`);
  expect(() => postgres("orders")).toThrow(`the URL cannot be read: it ${beginning}, and what`);
});

test("a store that is closed says so", async () => {
  const store = sqlite(":memory:");
  await store.now();
  await store.close();
  await expect(store.now()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: "the database cannot be reached: the database client is closed",
  });
});
