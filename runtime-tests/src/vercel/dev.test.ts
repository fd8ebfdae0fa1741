/**
 * The example in `vercel dev`, which runs each request in a process of its own, with Vercel's local queue: created over
 * HTTP, worked on after the answer, woken by the queue, ticked as the cron would.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PayoutService, startPayoutService } from "@escapement-examples/platforms";
import {
  findFreePort,
  type RunningServer,
  spawnServer,
  sqldAvailable,
  startSqld,
  type SqldServer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPlayedToday } from "../played-today.ts";
import { missingVercel, VERCEL_CLI, VERCEL_ENV } from "../vendor-vercel.ts";
import { writeVercelProject } from "./write-project.ts";

const SECRET = "cron-secret-of-more-than-24-bytes";
const TOKEN = "token-of-these-tests-only";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const PATIENCE = { interval: 200, timeout: 120_000 };

const skip = missingVercel() ?? (sqldAvailable() ? null : "sqld is not installed");
if (skip !== null) console.warn(`SKIPPED: ${skip}`);

describe.skipIf(skip !== null || !isPlayedToday("vercel dev"))("vercel dev", () => {
  const cleanups: (() => unknown)[] = [];
  let sqld: SqldServer;
  let api: string;
  let payout: PayoutService;

  beforeAll(async () => {
    sqld = await startSqld();
    cleanups.push(() => sqld.stop());
    const database = createLibsqlDatabase(createClient({ url: sqld.url }));
    await migrate(database);
    await database.close();
    const directory = temporaryDirectory();
    cleanups.push(() => directory.remove());
    await writeVercelProject(directory.path);
    sleepLonger(directory.path);
    payout = await startPayoutService();
    cleanups.push(() => payout.close());
    const started = await startVercel(directory.path, {
      databaseUrl: sqld.url,
      payoutUrl: payout.url,
    });
    cleanups.push(() => started.server.stop());
    ({ api } = started);
  }, 300_000);
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  test("a refund is created, woken by the queue, decided and paid once; a cron-shaped tick needs its secret", async () => {
    const look = openView(sqld.url);
    const create = { id: "r-1", params: { orderId: "A-1", cents: 1999 } };
    const instances = `${api}/workflows/refund/instances`;
    expect(await post(instances, create)).toBe(200);
    // Longer than a tick lingers: only the queue ends this sleep.
    await expect.poll(look.steps, PATIENCE).toContain("decision");
    expect(await Promise.all([cron("undefined"), cron(SECRET)])).toEqual([401, 200]);
    expect(
      await post(`${instances}/r-1/events`, { type: "decision", payload: { approved: true } }),
    ).toBe(200);
    const output = { state: "paid", receipt: "receipt-1" };
    await expect.poll(look.instance, PATIENCE).toMatchObject({ status: "complete", output });
    expect([payout.keys.length, new Set(payout.keys).size]).toEqual([2, 1]);
    await look.close();
  }, 300_000);

  const post = async (url: string, body: object): Promise<number> =>
    (await fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(body) })).status;
  // As Vercel's cron calls: vercel.com/docs/cron-jobs/manage-cron-jobs, read 2026-11-21.
  const cron = async (secret: string): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}`, "user-agent": "vercel-cron/1.0" };
    return (await fetch(`${api}/_runner/tick`, { headers })).status;
  };
});

/** The one change to the example: a sleep that a tick, which lingers for 5 s, does not sit out. */
function sleepLonger(folder: string): void {
  const file = join(folder, "src/workflow.ts");
  const text = readFileSync(file, "utf8");
  const longer = text.replace('"cool down", "1 second"', '"cool down", "8 seconds"');
  expect(longer).not.toBe(text);
  writeFileSync(file, longer);
}

async function startVercel(
  cwd: string,
  { databaseUrl, payoutUrl }: { readonly databaseUrl: string; readonly payoutUrl: string },
): Promise<{ readonly server: RunningServer; readonly api: string }> {
  const port = await findFreePort();
  const address = `127.0.0.1:${port}`;
  const server = await spawnServer({
    command: process.execPath,
    // An empty folder in place of somebody's account; no project, so nothing is asked of Vercel.
    args: [VERCEL_CLI, "dev", "--local", "--yes", "--listen", address, "-Q", join(cwd, ".config")],
    cwd,
    env: {
      ...VERCEL_ENV,
      API_TOKEN: TOKEN,
      PAYOUT_URL: payoutUrl,
      DATABASE_URL: databaseUrl,
      DATABASE_TOKEN: "none",
      CRON_SECRET: SECRET,
    },
    ready: async (output) => output().includes("Ready!"),
  });
  return { server, api: `http://${address}/api/workflows` };
}

/** What the database says: a look over HTTP would be a process each. */
function openView(url: string) {
  const database = createLibsqlDatabase(createClient({ url }));
  const REFUND = defineWorkflow({ name: "refund" }, async () => "looked at, not run");
  const store = createSqlStore({ database });
  const engine = createEngine({ workflows: { REFUND }, store });
  return {
    steps: async () =>
      (await engine.listHistory("refund", "r-1", {})).steps.map(({ name }) => name),
    instance: async () => (await engine.getInstance("refund", "r-1")).details,
    close: () => store.close(),
  };
}
