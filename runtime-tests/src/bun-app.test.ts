/** What the Bun adapter keeps in Bun itself. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { describeAdapterContract } from "@escapement/adapter-contract";
import { afterEach, describe, expect, test } from "vitest";
import type { BunAppSettings } from "./bun-app-settings.ts";
import { type RunningProcess, startProgram } from "./start-program.ts";
import { findRuntime, missingFaketime, missingRuntime } from "./tools.ts";

interface BunApp extends RunningProcess {
  readonly api: string;
}

async function startApp(settings: Omit<BunAppSettings, "file">, startAt?: string): Promise<BunApp> {
  const directory = temporaryDirectory();
  const file = join(directory.path, "data.db");
  const program = await startProgram({
    runtime: "bun",
    program: "bun-app",
    args: [JSON.stringify({ ...settings, file })],
    ...(startAt === undefined ? {} : { startAt }),
  });
  return {
    url: program.url,
    output: () => program.output(),
    api: `${program.url}/api/workflows/workflows/contract-steps/instances`,
    async stop(signal) {
      await program.stop(signal);
      directory.remove();
    },
  };
}

const skip = missingRuntime("bun");
const STAYS = "a process that stays does the work, unasked";

describeAdapterContract({
  name: "bun",
  skip,
  capabilities: {
    invocations: STAYS,
    deadlines: STAYS,
    exactWakes: STAYS,
    faults: true,
    clockSkew: true,
    unknownEvents: "only requests come in",
  },
  open: async (options) => {
    const app = await startApp(options);
    return {
      call: ({ path, ...init }) => fetch(`${app.url}${path}`, init),
      safetyTick: async () => void (await fetch(`${app.url}/contract/net`)),
      teardown: () => app.stop(),
    };
  },
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const read = async (url: string): Promise<unknown> => (await fetch(url)).json();

async function create(app: BunApp, id: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ id }) };
  expect((await fetch(app.api, init)).status).toBe(200);
}

const skipCron = skip ?? missingFaketime();
if (skipCron !== null) console.warn(`Bun.cron SKIPPED: ${skipCron}`);

/** On a machine so busy that the program starts after the minute, the next one has to do. */
const cronPatience = { interval: 20, timeout: 90_000 };
const CRON_TIMEOUT_MS = 120_000;

describe.skipIf(skipCron !== null)("Bun.cron under the loop", () => {
  // New York, where the program runs, is five hours behind UTC in November: only in UTC is it about to be three.
  const beforeThreeUtc = "2026-11-20 09:59:56";
  const onlyCron = { hasTickSecrets: false, losesWakes: true, cron: "* 15 * * *" };

  test(
    "the safety-net tick comes by UTC and finds what nobody heard of",
    async () => {
      const app = await startApp(onlyCron, beforeThreeUtc);
      cleanups.push(() => app.stop());
      await create(app, "unheard");
      await expect
        .poll(() => read(`${app.api}/unheard`), cronPatience)
        .toMatchObject({ details: { status: "complete" } });
    },
    CRON_TIMEOUT_MS,
  );

  test(
    "a safety-net tick that fails is logged and does not end the process",
    async () => {
      const app = await startApp({ ...onlyCron, ticksFail: true }, beforeThreeUtc);
      cleanups.push(() => app.stop());
      await expect.poll(() => app.output(), cronPatience).toContain("cron.tick_failed");
      await create(app, "after");
      expect(await read(`${app.api}/after`)).toMatchObject({ details: { status: "queued" } });
    },
    CRON_TIMEOUT_MS,
  );
});

describe.skipIf(skip !== null)("Bun", () => {
  test("a port in use is refused with what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    cleanups.push(() => other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const code = `import { serve } from "@escapement/bun";
      try { serve({ engine: { fetch: async () => new Response() }, port: ${port} }); }
      catch ({ code, message, details }) { console.log(JSON.stringify({ code, message, details })); }`;
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const said = execFileSync(findRuntime("bun") ?? "", ["-e", code], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(JSON.parse(said)).toMatchObject({
      code: "LISTEN_FAILED",
      message: expect.stringContaining(`port ${port}: another program is using it`),
      details: { reason: "EADDRINUSE" },
    });
  });

  test("SIGTERM stops in order: the loop, the cron job, the server, and then the process ends by itself", async () => {
    const app = await startApp({ hasTickSecrets: false, losesWakes: false });
    await create(app, "before");
    await app.stop("SIGTERM");
    expect(app.output()).toContain("stopped");
    await expect(fetch(app.url)).rejects.toThrow("fetch failed");
  });
});
