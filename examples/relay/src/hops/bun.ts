/** Bun, from the sources. */
import { findRuntime, missingRuntime } from "@escapement-internal/runtime-tests/tools";
import { type Hop, startProgram } from "./hop.ts";
import { HERE, runnerFile } from "./runners.ts";

export const bun: Hop = {
  name: "bun",
  missing: () => missingRuntime("bun"),
  start: ({ settings }) =>
    startProgram({
      command: findRuntime("bun") ?? "bun",
      args: ["run", runnerFile("bun")],
      cwd: HERE,
      settings,
    }),
};
