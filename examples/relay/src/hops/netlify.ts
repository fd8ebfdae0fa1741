/** Netlify: its own emulator, in a process that only hosts it; driven as its clock would, by the scheduled function. */
import { join } from "node:path";
import { findRuntime, missingRuntime } from "@escapement-internal/runtime-tests/tools";
import { missingNetlify, NETLIFY_DEV } from "@escapement-internal/runtime-tests/vendor-netlify";
import { findFreePort } from "@escapement-internal/test-servers";
import { type Hop, type HopStart, type RunningHop, startProgram } from "./hop.ts";
import { bundleRunner, HERE, runnerFile } from "./runners.ts";

export const netlify: Hop = {
  name: "netlify",
  // The emulator wants Node 22 or newer.
  missing: () => missingNetlify() ?? missingRuntime("node24"),
  start: startNetlify,
};

async function startNetlify({ settings, folder }: HopStart): Promise<RunningHop> {
  for (const name of ["workflows-schedule", "workflows-background"]) {
    const outfile = join(folder, "netlify/functions", `${name}.mjs`);
    await bundleRunner({ runner: `netlify/${name}`, outfile, format: "esm", platform: "node" });
  }
  const port = await findFreePort();
  const siteUrl = `http://127.0.0.1:${port}`;
  const running = await startProgram({
    command: findRuntime("node24") ?? "node",
    args: [runnerFile("netlify-dev"), NETLIFY_DEV, folder, String(port)],
    cwd: HERE,
    settings: { ...settings, siteUrl },
    env: { NETLIFY_TELEMETRY_DISABLED: "1" },
  });
  return { ...running, tick: () => ring(siteUrl) };
}

/** As Netlify's clock asks. @source platforms note; run with @netlify/dev 5.1.3, 2026-11 */
async function ring(siteUrl: string): Promise<void> {
  const response = await fetch(`${siteUrl}/.netlify/functions/workflows-schedule`, {
    method: "POST",
    headers: { "user-agent": "Netlify Clockwork", "x-nf-event": "schedule" },
    body: JSON.stringify({ next_run: new Date(Date.now() + 60_000).toISOString() }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the scheduled function answered ${response.status} ${answer}`);
}
