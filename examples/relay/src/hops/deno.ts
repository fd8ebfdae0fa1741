/** Deno, from the sources. */
import { findRuntime, missingRuntime } from "@escapement-internal/runtime-tests/tools";
import { type Hop, startProgram } from "./hop.ts";
import { HERE, runnerFile } from "./runners.ts";

export const deno: Hop = {
  name: "deno",
  missing: () => missingRuntime("deno"),
  start: ({ settings }) =>
    startProgram({
      command: findRuntime("deno") ?? "deno",
      args: ["run", "--allow-all", runnerFile("deno")],
      cwd: HERE,
      settings,
    }),
};
