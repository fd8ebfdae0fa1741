/** What the Deno adapter keeps in Deno itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort, temporaryDirectory } from "@escapement-internal/test-servers";
import { createTickSigner } from "@escapement/engine/http";
import { afterEach, describe, expect, test } from "vitest";
import { TICK_BEARER, TICK_KEYS } from "./deno-secrets.ts";
import { type RunningProgram, startProgram } from "./start-program.ts";
import { missingFaketime, missingRuntime } from "./tools.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface AppOptions {
  readonly file?: string;
  readonly hearing?: "self-call" | "in-process" | "not";
  readonly slowMs?: number;
  readonly startAt?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function databaseFile(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return join(directory.path, "data.db");
}

async function startApp(options: AppOptions = {}): Promise<RunningProgram> {
  const { file = databaseFile(), hearing = "in-process", slowMs = 0, startAt, env } = options;
  // A minute that turns in the middle of a test must not tick, where the test is not about the minute.
  const cron = startAt === undefined ? "no-cron" : "cron";
  const args = [file, String(await findFreePort()), hearing, String(slowMs), cron];
  const app = await startProgram({
    runtime: "deno",
    program: "deno-app",
    args,
    ...(startAt === undefined ? {} : { startAt }),
    ...(env === undefined ? {} : { env }),
  });
  cleanups.push(() => app.stop());
  return app;
}

async function send(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const response = await fetch(url, { ...init, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const read = async (url: string): Promise<unknown> => (await fetch(url)).json();
const patience = { interval: 20, timeout: 60_000 };
/** On a machine so busy that the program starts after the minute, the next one has to do. */
const cronPatience = { interval: 20, timeout: 90_000 };
const CRON_TIMEOUT_MS = 120_000;
const bearer = { authorization: `Bearer ${TICK_BEARER}` };

const skip = missingRuntime("deno");
const skipCron = skip ?? missingFaketime();
for (const reason of new Set([skip, skipCron]))
  if (reason !== null) console.warn(`SKIPPED: ${reason}`);

describe.skipIf(skip !== null)("the note of the next work in Deno KV", () => {
  test("S9-018 the cron asks the database only while something is due, or may be", async () => {
    const args = [String(await findFreePort())];
    const program = await startProgram({ runtime: "deno", program: "deno-kv", args });
    cleanups.push(() => program.stop());
    const ticks = { unknown: 1, quiet: 0, open: 1, settles: 1, quietAgain: 0 };
    expect(await read(program.url)).toEqual(ticks);
  });
});

describe.skipIf(skip !== null)("an application in Deno", () => {
  test.each(["self-call", "in-process"] as const)(
    "S0-016 created over HTTP, an instance retries, sleeps, takes its event and completes: %s",
    async (hearing) => {
      const { url } = await startApp({ hearing });
      const order = `${url}/workflows/order/instances`;
      expect(await send(order, { id: "o", params: { sku: "désk" } })).toMatchObject({
        status: 200,
      });
      await expect
        .poll(() => read(`${order}/o/history`), patience)
        .toMatchObject({ steps: [{}, {}, { name: "approval", status: "waiting" }] });
      await send(`${order}/o/events`, { type: "approval", payload: { by: "Noor" } });
      const output = { charge: { attempt: 2 }, approvedBy: "Noor", params: { sku: "désk" } };
      await expect
        .poll(() => read(`${order}/o`), patience)
        .toMatchObject({ details: { status: "complete", output } });
    },
  );

  test("S0-153 a tick is taken with the secret or a signature and refused with anything else", async () => {
    const { url } = await startApp({ hearing: "not" });
    const order = `${url}/workflows/order/instances`;
    await send(order, { id: "o" });
    const tick = `${url}/_runner/tick`;
    for (const authorization of ["Bearer undefined", "Bearer ", `${bearer.authorization}x`]) {
      const refusal = await send(tick, {}, { authorization });
      expect(refusal).toMatchObject({ status: 401, body: { code: "TICK_UNAUTHORIZED" } });
    }
    const audience = new URL(tick).pathname;
    const sign = (now: number, to = audience) =>
      createTickSigner({ signingKeys: TICK_KEYS, audience: to, now: () => now })("POST", "{}");
    for (const headers of [await sign(Date.now() - 400_000), await sign(Date.now(), "elsewhere")])
      expect(await send(tick, {}, { ...headers })).toMatchObject({ status: 401 });
    expect(await read(`${order}/o`)).toMatchObject({ details: { status: "queued" } });
    const signed = { ...(await sign(Date.now())) };
    expect(await send(tick, {}, signed)).toMatchObject({ status: 202, body: { processed: 1 } });
    // Taken once more, a signature ticks once more, which finds nothing to do.
    expect(await send(tick, {}, signed)).toMatchObject({ status: 202 });
    expect(await send(tick, {}, bearer)).toMatchObject({ status: 202, body: { processed: 0 } });
  });

  test("a tick answers at once and keeps the answer open until the work is done", async () => {
    const { url } = await startApp({ hearing: "not" });
    const go = databaseFile();
    const slow = `${url}/workflows/slow/instances`;
    await send(slow, { id: "s", params: go });
    const response = await fetch(`${url}/_runner/tick`, { method: "POST", headers: bearer });
    expect(response.status).toBe(202);
    expect(await read(`${slow}/s`)).not.toMatchObject({ details: { status: "complete" } });
    writeFileSync(go, "");
    expect(await response.json()).toMatchObject({ processed: 1, steps: 1 });
    expect(await read(`${slow}/s`)).toMatchObject({ details: { status: "complete" } });
  });

  test("SIGINT releases leases within 5 s, and another process goes on at once", async () => {
    const file = databaseFile();
    const stopping = await startApp({ file, slowMs: 120_000 });
    await send(`${stopping.url}/workflows/slow/instances`, { id: "s" });
    const instance = `${stopping.url}/workflows/slow/instances/s`;
    const running = { details: { status: "running" } };
    await expect.poll(() => read(instance), patience).toMatchObject(running);
    const startedAt = performance.now();
    await stopping.stop("SIGINT");
    // Deno gives it 5 s, and a busy machine takes its own time besides; the body would take two minutes.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    const next = await startApp({ file, hearing: "not" });
    const tick = await send(`${next.url}/_runner/tick`, {}, bearer);
    expect(tick).toMatchObject({ status: 202, body: { processed: 1 } });
    const done = { steps: [{ status: "completed", attempts: 1, lostAttempts: 1 }] };
    expect(await read(`${next.url}/workflows/slow/instances/s/history`)).toMatchObject(done);
  });

  test("a branch's timeline ticks neither by request nor by itself", async () => {
    const { url } = await startApp({ env: { DENO_TIMELINE: "git-branch/feature" } });
    const order = `${url}/workflows/order/instances`;
    await send(order, { id: "o" });
    const refusal = await send(`${url}/_runner/tick`, {}, bearer);
    expect(refusal).toMatchObject({ status: 404, body: { code: "TICK_DISABLED" } });
    expect(await read(`${order}/o`)).toMatchObject({ details: { status: "queued" } });
  });
});

describe.skipIf(skipCron !== null)("the minute cron in Deno", () => {
  test(
    "finds what no wake told of, and stays for what is due inside its minute",
    async () => {
      const { url } = await startApp({ hearing: "not", startAt: "2026-01-01 10:00:56" });
      const sleeper = `${url}/workflows/sleeper/instances`;
      await send(sleeper, { id: "s", params: 3000 });
      await expect
        .poll(() => read(`${sleeper}/s`), cronPatience)
        .toMatchObject({ details: { status: "complete" } });
      const { details } = (await read(`${sleeper}/s`)) as { details: { output: number } };
      const { steps } = (await read(`${sleeper}/s/history`)) as { steps: { createdAt: number }[] };
      const sleptAt = steps[0]?.createdAt ?? 0;
      expect(details.output - sleptAt).toBeGreaterThanOrEqual(3000);
      // The next minute's tick would have found it as well.
      expect(toMinute(details.output)).toBe(toMinute(sleptAt));
    },
    CRON_TIMEOUT_MS,
  );
});

const toMinute = (at: number): number => Math.floor(at / 60_000);
