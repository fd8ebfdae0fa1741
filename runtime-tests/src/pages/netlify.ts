/** The page of Netlify: built by Netlify's own build, which migrates, and run in Netlify's emulator. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFreePort, sqldAvailable, startSqld } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import { clockwork } from "../netlify-edge.ts";
import { startProgram } from "../start-program.ts";
import { findRuntime, missingRuntime } from "../tools.ts";
import { missingNetlify, NETLIFY_BUILD, NETLIFY_DEV } from "../vendor-netlify.ts";
import { checkTypes, prepareDeployment, readLocalRun } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";

const BUILD_FLAGS = "--offline --telemetry=false --cwd . --repositoryRoot .";
const SCHEDULE_EVERY_MS = 3000;

export const NETLIFY: PagePlatform = {
  name: "netlify",
  missing:
    missingNetlify() ??
    missingRuntime("node24") ??
    (sqldAvailable() ? null : "sqld is not installed"),
  async open({ project, token, shopUrl, defer }) {
    const database = await startSqld();
    defer(() => database.stop());
    await prepareDeployment(project);
    await checkTypes(project);
    const env = {
      API_TOKEN: token,
      TICK_SIGNING_KEY: "a-signing-key-of-these-tests-only",
      DATABASE_URL: database.url,
      DATABASE_TOKEN: "none",
      SHOP_URL: shopUrl,
    };
    readLocalRun(project, env);
    await project.run(`"${findRuntime("node24")}" "${NETLIFY_BUILD}" ${BUILD_FLAGS}`, env);
    for (const name of ["workflows", "workflows-cron", "workflows-background"])
      expect(existsSync(join(project.folder, `.netlify/functions/${name}.zip`)), name).toBe(true);
    return async () => {
      const port = String(await findFreePort());
      const site = await startProgram({
        runtime: "node24",
        program: "netlify-site",
        args: [NETLIFY_DEV, project.folder, port],
        env: { ...env, URL: `http://127.0.0.1:${port}` },
      });
      defer(() => site.stop());
      return {
        api: `${site.url}/api/workflows`,
        kill: () => site.stop(),
        nudge: createSchedule(site.url),
      };
    };
  },
};

/** The schedule, which does not fire in the emulator. */
function createSchedule(url: string): () => Promise<void> {
  let firedAt = Date.now();
  return async () => {
    if (Date.now() - firedAt < SCHEDULE_EVERY_MS) return;
    firedAt = Date.now();
    expect((await fetch(clockwork(url))).status).toBe(200);
  };
}
