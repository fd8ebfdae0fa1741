/** The adapter contract in Deno itself, both ways that work is heard of there. */
import { join } from "node:path";
import { findFreePort, temporaryDirectory } from "@escapement-internal/test-servers";
import {
  type AdapterFixture,
  describeAdapterContract,
  type FixtureOptions,
} from "@escapement/adapter-contract";
import type { DenoContractSettings } from "./deno-contract-settings.ts";
import { startProgram } from "./start-program.ts";
import { missingRuntime } from "./tools.ts";

const HOLDS = "a request or a cron holds the process, which does the work, unasked";

for (const [name, callsItself] of [
  ["Deno, work heard of in the process", false],
  ["Deno, work heard of by self-call", true],
] as const)
  describeAdapterContract({
    name,
    skip: missingRuntime("deno"),
    capabilities: {
      invocations: HOLDS,
      deadlines: HOLDS,
      exactWakes: HOLDS,
      faults: true,
      clockSkew: true,
      unknownEvents: "only requests come in",
    },
    open: (options) => openFixture(options, callsItself),
  });

async function openFixture(options: FixtureOptions, callsItself: boolean): Promise<AdapterFixture> {
  const directory = temporaryDirectory();
  const file = join(directory.path, "data.db");
  const port = await findFreePort();
  const settings: DenoContractSettings = { ...options, file, port, callsItself };
  const args = [JSON.stringify(settings)];
  const app = await startProgram({ runtime: "deno", program: "deno-contract", args });
  const safetyTick = async (): Promise<void> => void (await fetch(`${app.url}/contract/net`));
  let minute = currentMinute();
  return {
    // What comes due in a later minute is left to that minute's cron.
    call: async ({ path, ...init }) => {
      const isNewMinute = minute < (minute = currentMinute());
      if (isNewMinute && !options.losesWakes) await safetyTick();
      return fetch(`${app.url}${path}`, init);
    },
    safetyTick,
    teardown: async () => {
      await app.stop();
      directory.remove();
    },
  };
}

const currentMinute = (): number => Math.floor(Date.now() / 60_000);
