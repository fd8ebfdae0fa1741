/** What a database and a platform do to a fleet: restarts, serialization failures, ticks from everywhere, wrong clocks. */
import { join } from "node:path";
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { startPostgres, temporaryDirectory } from "@escapement-internal/test-servers";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import type { Store } from "../../packages/engine/src/ports/store.ts";
import { openDatabase } from "./subjects/open-database.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "./subjects/test-database.ts";
import { readEffects } from "./worker/effect-log.ts";
import { createFleetWorkflow, FLEET_WORKFLOW } from "./worker/fleet-workflow.ts";
import { bundleWorker, spawnWorker } from "./worker/spawn-worker.ts";
import { hourWrongClocks } from "./worker/wrong-clock.ts";

const range = (length: number): readonly number[] =>
  Array.from({ length }, (_item, index) => index);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function openStore(url: string): Promise<Store> {
  const store = createSqlStore({ database: await openDatabase(url) });
  closing.push(() => store.close());
  return store;
}

const countOf = async (
  engine: Engine,
  name: string,
  status: "complete" | "errored",
): Promise<number> =>
  (await engine.listInstances(name, { status, pageSize: 100 })).instances.length;

describe("a Postgres that restarts", () => {
  it("S2-011 in the middle of running workflows: the process lives, no promise is left unhandled, all finish", async () => {
    const server = await startPostgres();
    closing.push(() => server.stop());
    const setup = await openDatabase(server.url);
    await migrate(setup);
    await setup.close();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note).on("uncaughtException", note);
    closing.push(() => process.off("unhandledRejection", note).off("uncaughtException", note));
    let bodies = 0;
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      for (const index of range(10)) {
        await step.do(`step-${index}`, async () => {
          bodies += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
        });
      }
    });
    const store = await openStore(server.url);
    const logger = { log: () => undefined };
    const engine = createEngine({ workflows: { W: workflow }, store, logger, leaseMs: 3000 });
    const loop = engine.startLoop({ pollMs: 200 });
    await engine.workflows.W.createBatch(range(50).map((index) => ({ id: `i-${index}` })));
    for (const [signal, reached] of [
      ["SIGINT", 60],
      ["SIGQUIT", 200],
    ] as const) {
      await expect.poll(() => bodies, { timeout: 60_000, interval: 2 }).toBeGreaterThan(reached);
      await server.restart(signal);
    }
    const finished = (): Promise<number> => countOf(engine, "w", "complete").catch(() => 0);
    await expect.poll(finished, { timeout: 60_000, interval: 100 }).toBe(50);
    await loop.stop();
    expect(bodies, "the restarts came in the middle").toBeGreaterThan(200);
    expect(unhandled).toEqual([]);
  }, 240_000);
});

describe("a Postgres that serializes", () => {
  it("S2-012 S2-046 serialization failures of 20 engines at once are retried and never reach a caller", async () => {
    const subject = await POSTGRES.open();
    closing.push(() => subject.remove());
    const admin = new pg.Client({ connectionString: subject.url });
    await admin.connect();
    const name = new URL(subject.url).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    await admin.end();
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      const { payload } = await step.waitForEvent("go", { type: "go" });
      return step.do("after", () => payload);
    });
    let conflicts = 0;

    const engines = await Promise.all(
      range(20).map(async () => {
        const database = await openDatabase(subject.url);
        const counting = {
          dialect: database.dialect,
          close: () => database.close(),
          batch: async (statements: Parameters<typeof database.batch>[0]) => {
            const result = await database.batch(statements);
            if (result.kind === "conflict" && result.reason === "serialization") conflicts += 1;
            return result;
          },
        };
        const store = createSqlStore({ database: counting });
        closing.push(() => store.close());
        return createEngine({
          workflows: { W: workflow },
          store,
          logger: { log: () => undefined },
        });
      }),
    );
    const first = engines[0] as Engine;
    await Promise.all(
      engines.map(async (engine, number) => {
        for (const index of range(3)) {
          const id = `i-${number}-${index}`;
          await engine.createInstance("w", { id });
          await engine.tick();
          await engine.control("w", id, "pause");
          await engine.control("w", id, "resume");
          await engine.sendEvent("w", id, { type: "go", payload: id });
          await engine.tick();
        }
      }),
    );
    for (const _round of range(20)) {
      if ((await countOf(first, "w", "complete")) === 60) break;
      // A resume that came before the pause took effect had nothing to resume.
      const { instances } = await first.listInstances("w", { status: "paused", pageSize: 100 });
      for (const { id } of instances) await first.control("w", id, "resume");
      await first.tick();
    }
    expect(await countOf(first, "w", "complete")).toBe(60);
    expect(conflicts, "failures there were").toBeGreaterThan(0);
  }, 240_000);
});

describe.each<SubjectKind>([EMBEDDED, POSTGRES, SQLD])("ticks over HTTP on $name", (kind) => {
  it.skipIf(!kind.isAvailable)(
    "S0-087 S0-096 twenty at once, of four engines: each body runs once",
    async () => {
      const subject = await kind.open();
      closing.push(() => subject.remove());
      const bearerSecret = "a-secret-of-the-proofs-0123456789";
      const ran: string[] = [];
      const workflow = defineWorkflow({ name: "w" }, async (event, step) => {
        for (const name of ["a", "b", "c"])
          await step.do(name, () => void ran.push(`${event.instanceId} ${name}`));
      });
      const engines = await Promise.all(
        range(4).map(async () =>
          createEngine({
            workflows: { W: workflow },
            store: await openStore(subject.url),
            http: { tick: { bearerSecret } },
          }),
        ),
      );
      const [first] = engines;
      await first?.workflows.W.createBatch(range(60).map((index) => ({ id: `i-${index}` })));
      const request = (): Request =>
        new Request("http://localhost/api/workflows/_runner/tick", {
          method: "POST",
          headers: { authorization: `Bearer ${bearerSecret}`, "content-type": "application/json" },
          body: JSON.stringify({ maxInstances: 10 }),
        });
      // A tick that finds others at the same rows, or its process full, leaves work to the next one.
      for (let volley = 0; volley < 5 && ran.length < 180; volley += 1) {
        const answers = await Promise.all(
          range(20).map((index) => (engines[index % 4] as Engine).fetch(request())),
        );
        expect(answers.map((answer) => answer.status)).toEqual(range(20).map(() => 200));
      }
      expect(await countOf(engines[0] as Engine, "w", "complete")).toBe(60);
      expect(ran.toSorted()).toEqual([...new Set(ran)].toSorted());
      expect(ran).toHaveLength(180);
    },
    240_000,
  );
});

const clocks = hourWrongClocks();

describe("worker processes whose clocks are an hour wrong", () => {
  it.skipIf(clocks === null)(
    "S2-009 S2-033 S2-045 keep the database's time: sleeps neither end early nor late, and no instant of theirs is stored",
    async () => {
      const subject = await POSTGRES.open();
      const directory = temporaryDirectory();
      const bundle = await bundleWorker();
      closing.push(
        () => subject.remove(),
        () => directory.remove(),
        () => bundle.remove(),
      );
      const logPath = join(directory.path, "effects.log");
      const store = await openStore(subject.url);
      const engine = createEngine({
        workflows: { FLEET: createFleetWorkflow({ logPath, bodyMs: 0 }) },
        store,
      });
      const startAt = await store.now();
      await engine.workflows.FLEET.createBatch(range(100).map((index) => ({ id: `i-${index}` })));
      const job = {
        kind: "fleet",
        url: subject.url,
        logPath,
        leaseMs: 30_000,
        concurrency: 8,
        pollMs: 500,
        bodyMs: 0,
      } as const;
      const workers = (clocks ?? []).map((env) => spawnWorker(bundle, job, env));
      closing.push(() => workers.forEach((worker) => worker.kill("SIGKILL")));
      await expect
        .poll(() => countOf(engine, FLEET_WORKFLOW, "complete"), { timeout: 60_000, interval: 100 })
        .toBe(100);
      const endAt = await store.now();
      for (const worker of workers) worker.kill("SIGTERM");
      expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual(
        workers.map(() => ({ code: 0, signal: null, errors: "" })),
      );
      expect(new Set(readEffects(logPath).map((effect) => effect.pid)).size, "both worked").toBe(2);
      for (const index of range(100)) {
        const { steps } = await engine.listHistory(FLEET_WORKFLOW, `i-${index}`, {});
        const instants = steps.flatMap((step) => [
          step.createdAt,
          step.updatedAt,
          step.wakeAt ?? startAt,
        ]);
        expect(Math.min(...instants)).toBeGreaterThanOrEqual(startAt);
        expect(Math.max(...instants)).toBeLessThanOrEqual(endAt);
        const nap = steps.find((step) => step.type === "sleep");
        const after = steps.find((step) => step.stepKey === "charge");
        expect(after?.createdAt).toBeGreaterThanOrEqual(nap?.wakeAt ?? Infinity);
      }
    },
    240_000,
  );
});
