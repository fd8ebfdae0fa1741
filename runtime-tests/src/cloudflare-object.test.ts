/** What a Durable Object makes of its alarm, in workerd: nothing else drives it here, neither a cron nor a request to tick. */
import { CONTRACT_TICK } from "@escapement/adapter-contract/app";
import { afterEach, describe, expect, test } from "vitest";
import { missingWorkerd } from "./tools.ts";
import { prepareWorker, type WorkerApp, type WorkerFolder } from "./worker-app.ts";
import type { WorkerAppSettings } from "./worker-app-settings.ts";

const skip = missingWorkerd();
if (skip !== null) console.warn(`Cloudflare objects SKIPPED: ${skip}`);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function prepare(
  program = "worker-app",
  flags: readonly string[] = [],
): Promise<WorkerFolder> {
  const folder = await prepareWorker(program, flags);
  closing.push(() => folder.remove());
  return folder;
}

async function start(folder: WorkerFolder, settings: WorkerAppSettings = {}): Promise<WorkerApp> {
  const app = await folder.start(settings);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await app.stop();
    isStopped = true;
  };
  closing.push(stop);
  return { ...app, stop };
}

const instances = ({ url }: WorkerApp, workflowName: string): string =>
  `${url}/api/workflows/workflows/${workflowName}/instances`;

async function create(
  app: WorkerApp,
  name: string,
  id: string,
  params: object = {},
): Promise<void> {
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ id, params });
  const answer = await fetch(instances(app, name), { ...init, body });
  expect(answer.status, await answer.text()).toBe(200);
}

const read = async (url: string): Promise<unknown> => (await fetch(url)).json();
const patience = { interval: 20, timeout: 60_000 };

const expectEnd = (app: WorkerApp, name: string, id: string, output: unknown): Promise<void> =>
  expect
    .poll(() => read(`${instances(app, name)}/${id}`), patience)
    .toMatchObject({ details: { status: "complete", output } });

const expectStatus = (app: WorkerApp, name: string, id: string, status: string): Promise<void> =>
  expect
    .poll(() => read(`${instances(app, name)}/${id}`), patience)
    .toMatchObject({ details: { status } });

describe.skipIf(skip !== null).each(["object", "d1"] as const)(
  "workflows kept in: %s",
  (database) => {
    test("S0-020, S0-067, S0-135 the object's alarm starts a run, and wakes one that sleeps when it is due", async () => {
      const app = await start(await prepare(), { database });
      await create(app, "nap", "n", { napMs: 700 });
      await expectEnd(app, "nap", "n", true);
    });

    test("an alarm survives that workerd is gone when it is due", async () => {
      const folder = await prepare();
      const first = await start(folder, { database });
      await create(first, "nap", "n", { napMs: 1500 });
      await expectStatus(first, "nap", "n", "waiting");
      await first.stop();
      await expectEnd(await start(folder, { database }), "nap", "n", true);
    });

    test("a run whose object dies in a step goes on in its next life: that attempt is lost, nothing else", async () => {
      const folder = await prepare();
      const settings = { database, leaseMs: 1000 };
      const first = await start(folder, settings);
      await create(first, "slow", "s", { slowMs: 600_000 });
      const loadSteps = (app: WorkerApp) => read(`${instances(app, "slow")}/s/history`);
      await expect
        .poll(() => loadSteps(first), patience)
        .toMatchObject({ steps: [{ status: "completed" }, { status: "running" }] });
      const before = (await loadSteps(first)) as {
        readonly steps: readonly { readonly result: unknown }[];
      };
      await first.stop();
      const second = await start(folder, settings);
      await expectEnd(second, "slow", "s", { key: before.steps[0]?.result, attempts: 2 });
      expect(await loadSteps(second)).toMatchObject({
        steps: [{ attempts: 1 }, { attempts: 1, lostAttempts: 1 }, { attempts: 1 }],
      });
    });
  },
);

describe.skipIf(skip !== null)("an object", () => {
  test("is not held up by a long step: other runs start, sleep and wake meanwhile", async () => {
    const app = await start(await prepare());
    await create(app, "slow", "s", { slowMs: 600_000 });
    await expectStatus(app, "slow", "s", "running");
    await create(app, "nap", "n", { napMs: 500 });
    await expectEnd(app, "nap", "n", true);
    expect(await read(`${instances(app, "slow")}/s`)).toMatchObject({
      details: { status: "running" },
    });
  });

  test("is rung again while its database is away, and goes on when it is back", async () => {
    const app = await start(await prepare());
    const setDatabase = (state: string) => read(`${app.url}/contract/database?state=${state}`);
    await create(app, "nap", "n", { napMs: 1000 });
    await expectStatus(app, "nap", "n", "waiting");
    await setDatabase("down");
    await expect
      .poll(() => read(`${app.url}/contract/log`), patience)
      .toContainEqual(expect.objectContaining({ event: "tick.failed" }));
    await setDatabase("up");
    await expectEnd(app, "nap", "n", true);
  });

  test("that cannot start is answered for by code, and nothing of it is lost", async () => {
    const folder = await prepare();
    const first = await start(folder);
    await create(first, "nap", "n", { napMs: 1000 });
    await expectStatus(first, "nap", "n", "waiting");
    await first.stop();
    const second = await start(folder, { failsToStart: true });
    const answer = await fetch(`${instances(second, "nap")}/n`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: "STORE_UNAVAILABLE" } });
    expect(await second.cron()).toMatchObject({ outcome: "exception" });
    await second.stop();
    const third = await start(folder);
    // The alarm may have been given up meanwhile; the cron never is.
    await expect.poll(() => third.cron(), patience).toMatchObject({ outcome: "ok" });
    await expectEnd(third, "nap", "n", true);
  });

  test("S0-021 each workflow may have an object of its own, and one cron, one tick over HTTP, serves all", async () => {
    const workflowNames = ["slow", "nap"];
    const app = await start(await prepare(), { workflowNames, alarms: "lose" });
    await create(app, "slow", "s", { slowMs: 1 });
    await create(app, "nap", "n", { napMs: 600_000 });
    await app.cron();
    await expectEnd(app, "slow", "s", { attempts: 1 });
    await expectStatus(app, "nap", "n", "waiting");
    // Neither object knows of the other's.
    expect(await read(instances(app, "nap"))).toMatchObject({ instances: [{ id: "n" }] });
    await create(app, "slow", "s2", { slowMs: 1 });
    await create(app, "nap", "n2", { napMs: 600_000 });
    const tick = `${app.url}/api/workflows/_runner/tick`;
    expect((await fetch(tick)).status).toBe(401);
    const headers = { authorization: `Bearer ${CONTRACT_TICK.bearerSecret}` };
    const answer = await fetch(tick, { headers });
    expect(await answer.json()).toMatchObject({ processed: 2, steps: 4, moreDue: false });
  });

  test("S9-017 a workflow writes no more rows, as workerd counts them, than docs/rows.md says of sqld", async () => {
    const app = await start(await prepare());
    const takeRows = () => read(`${app.url}/rows/take`);
    await read(instances(app, "order"));
    expect(await takeRows(), "the tables are rows, too").toBeGreaterThan(0);
    await create(app, "order", "o");
    const url = `${instances(app, "order")}/o`;
    await expect
      .poll(() => read(`${url}/history`), patience)
      .toMatchObject({ steps: [{}, {}, {}, { name: "go", status: "waiting" }] });
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/events`, { method: "POST", headers, body: '{"type":"go"}' });
    await expectEnd(app, "order", "o", [3, null]);
    expect(await takeRows()).toBeLessThanOrEqual(56);
  });

  test("S0-019 runs a fragment whose database is the object's own storage, together with another fragment's rows", async () => {
    const app = await start(await prepare("worker-fragment", ["nodejs_compat"]));
    await create(app, "order", "o");
    await expectEnd(app, "order", "o", "booked");
    expect(await read(`${app.url}/ledger`)).toEqual([{ orderId: "o" }]);
  });
});
