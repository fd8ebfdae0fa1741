/** Vercel: its own development server, without an account; driven as its cron would, by a GET of the tick route. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRuntime } from "@escapement-internal/runtime-tests/tools";
import {
  missingVercel,
  VERCEL_CLI,
  VERCEL_ENV,
} from "@escapement-internal/runtime-tests/vendor-vercel";
import { findFreePort, temporaryDirectory } from "@escapement-internal/test-servers";
import { type Hop, type HopStart, type RunningHop, startProgram } from "./hop.ts";
import { bundleRunner } from "./runners.ts";

export const vercel: Hop = {
  name: "vercel",
  missing: missingVercel,
  start: startVercel,
};

/** Every request of an application is rewritten to its one function, as the adapter's `deploy` has it. */
const CONFIG = { rewrites: [{ source: "/api/workflows/(.*)", destination: "/api/workflows" }] };

async function startVercel({ settings, folder }: HopStart): Promise<RunningHop> {
  const outfile = join(folder, "api/workflows.mjs");
  await bundleRunner({ runner: "vercel", outfile, format: "esm", platform: "node" });
  writeFileSync(join(folder, "vercel.json"), JSON.stringify(CONFIG));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // Where it would keep an account.
  const account = temporaryDirectory();
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const running = await startProgram({
    command: findRuntime("node24") ?? process.execPath,
    args: [VERCEL_CLI, "dev", "-L", "--yes", "--listen", new URL(url).host, "-Q", account.path],
    cwd: folder,
    settings,
    env: { ...VERCEL_ENV, CRON_SECRET: settings.tickSecret },
    ready: /Ready! Available at (\S+)/,
  });
  return {
    ...running,
    tick: () => ring(url, settings.tickSecret),
    kill: async () => {
      await running.kill();
      account.remove();
    },
  };
}

/** @source vercel.com/docs/cron-jobs/manage-cron-jobs, read 2026-11 */
async function ring(url: string, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, "user-agent": "vercel-cron/1.0" };
  const response = await fetch(`${url}/api/workflows/_runner/tick`, { headers });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the cron's path answered ${response.status} ${answer}`);
}
