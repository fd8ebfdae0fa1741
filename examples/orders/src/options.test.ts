import { join } from "node:path";
import { expect, test } from "vitest";
import { parseOptions, UsageError } from "./options.ts";

test("without options: all orders, three kills, an embedded file", () => {
  expect(parseOptions([], "/anywhere")).toMatchObject({
    orderCount: null,
    killCount: 3,
    store: { kind: "file" },
    isFresh: false,
    pace: 1,
  });
});

test("options are read, and paths are relative to where the command was given", () => {
  const args = ["--orders", "12", "--kills", "0", "--dir", "here", "--file", "mine.csv", "--fresh"];
  expect(parseOptions([...args, "--libsql", "http://127.0.0.1:8080"], "/anywhere")).toMatchObject({
    orderCount: 12,
    killCount: 0,
    folder: join("/anywhere", "here"),
    ordersFile: join("/anywhere", "mine.csv"),
    store: { kind: "libsql", url: "http://127.0.0.1:8080" },
    isFresh: true,
  });
});

test("--help is help, whatever else is asked", () => {
  expect(parseOptions(["--kills", "many", "--help"], "/anywhere")).toBeNull();
});

test.each([
  [["--kills", "many"], "--kills takes a whole number from 0 on"],
  [["--kills", "-1"], "--kills"],
  [["--orders", "0"], "--orders takes a whole number from 1 on"],
  [["--postgres", "http://x"], "--postgres takes a URL"],
  [["--libsql", "postgres://x"], "--libsql takes a URL"],
  [["--postgres", "embedded", "--libsql", "embedded"], "exclude each other"],
  [["now"], "now"],
  [["--fast=3"], "--fast"],
])("%j is refused by name", (args, words) => {
  expect(() => parseOptions(args, "/anywhere")).toThrow(UsageError);
  expect(() => parseOptions(args, "/anywhere")).toThrow(words);
});
