/** The page of Vercel: built by `vercel build`, run by `vercel dev` with its queue, which forgets when it is killed. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findFreePort, sqldAvailable, startSqld } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import { missingVercel, VERCEL_CLI, VERCEL_ENV } from "../vendor-vercel.ts";
import { checkTypes, prepareDeployment, readLocalRun, startLine } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";
import type { Project } from "./project.ts";

const CRON_SECRET = "cron-secret-of-more-than-24-bytes";
const CRON_EVERY_MS = 3000;

export const VERCEL: PagePlatform = {
  name: "vercel",
  missing: missingVercel() ?? (sqldAvailable() ? null : "sqld is not installed"),
  env: VERCEL_ENV,
  isHere: (line) => line.endsWith(" vercel"),
  prepare: (folder) => {
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(dirname(dirname(VERCEL_CLI)), join(folder, "node_modules/vercel"));
    symlinkSync("../vercel/dist/vc.js", join(folder, "node_modules/.bin/vercel"));
  },
  async open(stage) {
    const { project, token, shopUrl, defer } = stage;
    const database = await startSqld();
    defer(() => database.stop());
    await prepareDeployment(project);
    await checkTypes(project);
    await build(project);
    const env = {
      API_TOKEN: token,
      CRON_SECRET,
      DATABASE_URL: database.url,
      DATABASE_TOKEN: "none",
      SHOP_URL: shopUrl,
    };
    const { before, start } = readLocalRun(project, env);
    for (const line of before) await project.run(line, env);
    return async () => {
      const port = await findFreePort();
      // An empty folder in place of somebody's account, and no questions.
      const line = `${start.replace("3000", String(port))} --yes -Q .no-account`;
      const options = { env: { ...VERCEL_ENV, ...env }, ready: /Ready!/ };
      const { kill } = await startLine(stage, line, options);
      const api = `http://127.0.0.1:${port}/api/workflows`;
      return { api, kill, nudge: createCron(api) };
    };
  },
};

/** What `vercel build` would deploy has both functions. `vercel dev` wants no linked project. */
async function build({ folder, run }: Project): Promise<void> {
  const settings = { framework: null, nodeVersion: "22.x" };
  const linked = { projectId: "prj_test", orgId: "team_test", settings };
  mkdirSync(join(folder, ".vercel"));
  writeFileSync(join(folder, ".vercel/project.json"), JSON.stringify(linked));
  await run("npx vercel build --yes");
  for (const name of ["workflows", "wake"])
    expect(existsSync(join(folder, `.vercel/output/functions/api/${name}.func`)), name).toBe(true);
  rmSync(join(folder, ".vercel"), { recursive: true });
}

/** The cron, which no emulator has: vercel.com/docs/cron-jobs/manage-cron-jobs, read 2026-11-21. */
function createCron(api: string): () => Promise<void> {
  let firedAt = Date.now();
  return async () => {
    if (Date.now() - firedAt < CRON_EVERY_MS) return;
    firedAt = Date.now();
    const headers = { authorization: `Bearer ${CRON_SECRET}`, "user-agent": "vercel-cron/1.0" };
    expect((await fetch(`${api}/_runner/tick`, { headers })).status).toBe(200);
  };
}
