/** The page of Deno, by the tasks that `deploy` writes, on a libSQL server. */
import { createTickSigner } from "@escapement/engine/http";
import { findFreePort, sqldAvailable, startSqld } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import { missingRuntime, RUNTIME_PATH } from "../tools.ts";
import { prepareDeployment, readLocalRun, startLine } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";

/** A cache that goes with the folder. */
const TOOL_ENV = { ...RUNTIME_PATH, DENO_DIR: ".deno" };
const SIGNING_KEY = "a-signing-key-of-these-tests-only";
const CRON_EVERY_MS = 3000;

export const DENO: PagePlatform = {
  name: "deno",
  missing: missingRuntime("deno") ?? (sqldAvailable() ? null : "sqld is not installed"),
  env: TOOL_ENV,
  async open(stage) {
    const { project, token, shopUrl, defer } = stage;
    const database = await startSqld();
    defer(() => database.stop());
    // Its types are checked by the page's own line.
    await prepareDeployment(project);
    const env = {
      API_TOKEN: token,
      TICK_SIGNING_KEY: SIGNING_KEY,
      DATABASE_URL: database.url,
      DATABASE_TOKEN: "none",
      SHOP_URL: shopUrl,
    };
    const { before, start } = readLocalRun(project, env);
    for (const line of before) await project.run(line, env);
    return async () => {
      const address = `127.0.0.1:${await findFreePort()}`;
      const options = {
        env: { ...TOOL_ENV, ...env, DENO_SERVE_ADDRESS: `tcp:${address}` },
        ready: /Listening on/i,
      };
      const { kill } = await startLine(stage, start, options);
      const api = `http://${address}/api/workflows`;
      return { api, kill, nudge: createCron(api) };
    };
  },
};

/** Ticks as the minute's cron does, without waiting for the minute. */
function createCron(api: string): () => Promise<void> {
  const tick = `${api}/_runner/tick`;
  const audience = new URL(tick).pathname;
  const sign = createTickSigner({ signingKeys: [SIGNING_KEY], audience });
  let firedAt = Date.now();
  return async () => {
    if (Date.now() - firedAt < CRON_EVERY_MS) return;
    firedAt = Date.now();
    const { status } = await fetch(tick, { method: "POST", headers: { ...(await sign("POST")) } });
    expect(status).toBe(202);
  };
}
