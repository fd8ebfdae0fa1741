/** The adapter contract in Deno itself. */
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { describeAdapterContract } from "@escapement/adapter-contract";
import { startProgram } from "./start-program.ts";
import { missingRuntime } from "./tools.ts";

const HOLDS = "a request or a cron holds the process, which does the work, unasked";

describeAdapterContract({
  name: "Deno",
  skip: missingRuntime("deno"),
  capabilities: {
    invocations: HOLDS,
    deadlines: HOLDS,
    exactWakes: HOLDS,
    faults: true,
    clockSkew: true,
    unknownEvents: "only requests come in",
  },
  open: async (options) => {
    const directory = temporaryDirectory();
    const app = await startProgram({
      runtime: "deno",
      program: "deno-contract",
      args: [join(directory.path, "data.db"), JSON.stringify(options)],
    });
    return {
      call: ({ path, ...init }) => fetch(`${app.url}${path}`, init),
      safetyTick: async () => void (await fetch(`${app.url}/contract/net`)),
      teardown: async () => {
        await app.stop();
        directory.remove();
      },
    };
  },
});
