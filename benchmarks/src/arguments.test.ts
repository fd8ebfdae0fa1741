import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

test("some platforms alone are counted for a program, and never written as the page of all", () => {
  const some = ["--cost", "--json", "--platform", "deno", "--platform", "bun"];
  expect(readArguments(some)?.costPlatforms).toEqual(["deno", "bun"]);
  expect(readArguments(["--cost", "--json"])?.costPlatforms).toEqual([]);
  expect(readArguments([...some, "--full", "--write"])).toBeNull();
  expect(readArguments(["--cost", "--platform", "deno"])).toBeNull();
  expect(readArguments(["--json", "--platform", "deno"])).toBeNull();
  expect(readArguments(["--cost", "--json", "--platform", "heroku"])).toBeNull();
});
