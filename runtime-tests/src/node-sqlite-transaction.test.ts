/** `engine.with(tx)` of `node:sqlite`. */
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { describe, expect, test } from "vitest";
import { startProgram } from "./start-program.ts";
import { missingRuntime, type Runtime } from "./tools.ts";

const RUNTIMES: readonly [string, Runtime][] = [
  ["Node 24", "node24"],
  ["Deno", "deno"],
];

describe.each(RUNTIMES)("S5-046 engine.with(tx) of node:sqlite on %s", (_name, runtime) => {
  test.skipIf(missingRuntime(runtime) !== null)(
    "an instance and an event commit and roll back with the caller's rows; a refusal leaves them",
    async () => {
      const directory = temporaryDirectory();
      const args = [join(directory.path, "data.db")];
      const program = "node-sqlite-transaction";
      const running = await startProgram({ runtime, program, args });
      try {
        expect(await (await fetch(running.url)).json()).toEqual({
          outside: "TRANSACTION_UNUSABLE",
          again: "INSTANCE_ID_ALREADY_EXISTS",
          orders: [{ id: "after-a-refusal" }, { id: "committed" }],
          rolledBack: "INSTANCE_NOT_FOUND",
          committed: { status: "complete", runNumber: 1, output: { by: "card" } },
        });
      } finally {
        await running.stop();
        directory.remove();
      }
    },
  );
});
