/** What `deploy` writes for Cloudflare, and the example with it, as wrangler takes them. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { playRefund, startPayoutService } from "@escapement-examples/platforms";
import { findFreePort, spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import { deploy } from "@escapement/cloudflare";
import { afterEach, describe, expect, test } from "vitest";
import { missingWrangler, WRANGLER_ENV, WRANGLER_PROGRAM } from "./vendor-cloudflare.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/platforms/cloudflare", import.meta.url));
const TOKEN = "token-of-these-tests-only";

const skip = missingWrangler();
if (skip !== null) console.warn(`wrangler SKIPPED: ${skip}`);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function temporaryFolder(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return directory.path;
}

/** What a deployment would send, without sending it. @returns all that wrangler printed */
async function dryRun(folder: string, outdir: string): Promise<string> {
  const args = [WRANGLER_PROGRAM, "deploy", "--dry-run", "--outdir", outdir];
  const env = { ...process.env, ...WRANGLER_ENV };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env,
  });
  return stdout + stderr;
}

describe.skipIf(skip !== null)("wrangler", () => {
  test("takes the example's configuration without a warning, and bundles it with nothing of Node", async () => {
    const outdir = temporaryFolder();
    const output = await dryRun(EXAMPLE, outdir);
    expect(output).toContain("env.REFUNDS (Refunds)");
    expect(output).not.toMatch(/warning/i);
    const worker = readFileSync(join(outdir, "main.js"), "utf8");
    expect(worker).not.toMatch(/from "node:|require\("/);
  }, 240_000);

  test("takes every option of deploy", async () => {
    const folder = temporaryFolder();
    const { files } = deploy({
      name: "all-options",
      className: "Workflows",
      binding: "OBJECTS",
      main: "worker.js",
      safetyMinutes: 15,
      cpuMs: 300_000,
      compatibilityDate: "2026-03-01",
      compatibilityFlags: ["nodejs_compat"],
      d1: { databaseName: "all-options", databaseId: "3f1c7e5e-0000-4000-8000-000000000000" },
    });
    for (const { path, text } of files) writeFileSync(join(folder, path), text);
    const worker = "export class Workflows {}\nexport default { fetch: () => new Response() };\n";
    writeFileSync(join(folder, "worker.js"), worker);
    const output = await dryRun(folder, join(folder, "out"));
    expect(output).toContain("env.OBJECTS (Workflows)");
    expect(output).toContain("env.DB (all-options)");
    expect(output).not.toMatch(/warning/i);
  }, 240_000);

  test("runs the example as its page says: a refund is decided, retried and paid, woken by alarms", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const state = join(temporaryFolder(), "state");
    mkdirSync(state);
    const address = ["--ip", "127.0.0.1", "--port", new URL(url).port];
    const payout = await startPayoutService();
    cleanups.push(() => payout.close());
    const vars = ["--var", `API_TOKEN:${TOKEN}`, "--var", `PAYOUT_URL:${payout.url}`];
    const options = [...vars, "--persist-to", state, "--test-scheduled"];
    const server = await spawnServer({
      command: process.execPath,
      args: [WRANGLER_PROGRAM, "dev", ...address, ...options],
      cwd: EXAMPLE,
      env: WRANGLER_ENV,
      orphanSignal: "TERM",
      ready: (output) => Promise.resolve(output().includes("Ready on")),
      readyTimeoutMs: 90_000,
    });
    cleanups.push(() => server.stop("SIGTERM"));
    const api = `${url}/api/workflows`;
    expect((await fetch(`${api}/workflows`)).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { payoutKeys, ...played } = await playRefund({ api, headers, payout });
    const output = { state: "paid", receipt: "receipt-1" };
    expect(played).toMatchObject({ status: "complete", output });
    expect(payoutKeys).toHaveLength(2);
    expect(new Set(payoutKeys).size).toBe(1);
    const cron = await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*/5+*+*+*+*`);
    expect(cron.status).toBe(200);
  }, 180_000);
});
