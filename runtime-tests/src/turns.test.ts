/** The engine's turns on runtimes that it is not developed on: whether a tick comes after all microtasks is theirs to decide. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { describe, expect, test } from "vitest";
import { bundle } from "./start-program.ts";
import { findRuntime, missingRuntime, type Runtime } from "./tools.ts";

const RUNTIMES: readonly [string, Runtime][] = [
  ["Node 24", "node24"],
  ["Bun", "bun"],
  ["Deno", "deno"],
];

describe.each(RUNTIMES)("turns of %s", (_name, runtime) => {
  test.skipIf(missingRuntime(runtime) !== null)(
    "call back once microtasks of any depth have run, from the first turn of a process on",
    async () => {
      const directory = temporaryDirectory();
      const file = join(directory.path, "turns.mjs");
      await bundle("turns", file);
      const args = runtime === "deno" ? ["run", "--no-config", file] : [file];
      const { stdout } = await promisify(execFile)(findRuntime(runtime) ?? "", args);
      directory.remove();
      expect(JSON.parse(stdout)).toEqual(
        [0, 1, 2, 3].flatMap((turn) => [`work ${turn}`, `turn ${turn}`]),
      );
    },
  );
});
