/**
 * Engines with their own clients on one real database. Workers look by themselves only once an hour, so anything that happens proves that
 * they were notified.
 */
import {
  createPostgresDatabase,
  pgBouncerAvailable,
  startPgBouncer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import type { RunningLoop } from "../process/loop.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const AN_HOUR_MS = 3_600_000;

/** Names of the processes that ran the body of an instance, in order. */
const ran: Record<string, string[]> = {};

const note = (instanceId: string, word: string): number => (ran[instanceId] ??= []).push(word);

function toWorkflows(name: string) {
  const WORK = defineWorkflow({ name: "work" }, async (event, step) => {
    await step.do("run", () => void note(event.instanceId, name));
    const { payload } = await step.waitForEvent("go", { type: "go" });
    await step.do("hold", async (context) => {
      note(event.instanceId, `${name} ${JSON.stringify(payload)}`);
      if (payload === name)
        await new Promise((_, reject) => context.signal.addEventListener("abort", reject));
    });
  });
  return { WORK };
}

type Subject = Engine<ReturnType<typeof toWorkflows>>;

interface Process {
  readonly engine: Subject;
  readonly events: string[];
  work(pollMs?: number): RunningLoop;
}

function startProcess(name: string, store: SqlStore): Process {
  const events: string[] = [];
  const logger = {
    log: (level: string, event: string) => void (level === "warn" && events.push(event)),
  };
  const engine = createEngine({ workflows: toWorkflows(name), store, logger });
  cleanups.push(() => engine.close());
  return { engine, events, work: (pollMs = AN_HOUR_MS) => engine.startLoop({ pollMs }) };
}

const QUIET = { log: () => undefined };

async function freshUrl(): Promise<string> {
  const { url, drop } = await createPostgresDatabase();
  cleanups.push(drop);
  return url;
}

const open = (url: string, options: Parameters<typeof postgres>[1] = {}): SqlStore =>
  postgres(url, { notify: true, max: 2, logger: QUIET, ...options });

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanups.push(() => client.end());
  return client;
}

let count = 0;
/** A new instance, which the process with this name ran. */
async function createRun({ engine }: Process, by: string): Promise<string> {
  count += 1;
  const { id } = await engine.workflows.WORK.create({ id: `i-${count}` });
  await expect.poll(() => ran[id]).toEqual([by]);
  return id;
}

const statusOf = async ({ engine }: Process, id: string): Promise<string> =>
  (await (await engine.workflows.WORK.get(id)).status()).status;

describe.each([
  [
    "S4-029 on Postgres",
    async () => {
      const url = await freshUrl();
      return () => open(url);
    },
  ],
  [
    "S4-034 on a SQLite file",
    async () => {
      const directory = temporaryDirectory();
      cleanups.push(() => directory.remove());
      return () => sqlite(`${directory.path}/data.db`, { logger: QUIET });
    },
  ],
] as const)("%s, what another process leaves starts at once:", (_name, setup) => {
  test("creates, events, what is resumed, and runs that a process gives back at its end", async () => {
    const openStore = await setup();
    const [caller, first, second] = ["caller", "first", "second"].map((name) =>
      startProcess(name, openStore()),
    );
    if (caller === undefined || first === undefined || second === undefined) return;
    const loop = first.work();
    // More than the first look and the test of the channel could explain.
    for (let times = 0; times < 3; times += 1) await createRun(caller, "first");
    const id = await createRun(caller, "first");
    const instance = await caller.engine.workflows.WORK.get(id);
    await expect.poll(() => statusOf(caller, id)).toBe("waiting");
    await instance.pause();
    await instance.sendEvent({ type: "go", payload: "first" });
    await instance.resume();
    await expect.poll(() => ran[id]).toEqual(["first", `first "first"`]);
    second.work();
    await loop.stop({ graceMs: 1 });
    await expect.poll(() => ran[id]).toEqual(["first", `first "first"`, `second "first"`]);
    await expect.poll(() => statusOf(caller, id)).toBe("complete");
  });
});

describe("S4-029 on Postgres", () => {
  test("what is created inside a transaction starts once that is committed", async () => {
    const url = await freshUrl();
    const [caller, worker] = [startProcess("caller", open(url)), startProcess("worker", open(url))];
    worker.work();
    await createRun(caller, "worker");
    const client = await connect(url);
    await client.query("begin");
    await caller.engine.with(client).workflows.WORK.create({ id: "within" });
    await createRun(caller, "worker");
    expect(ran["within"]).toBeUndefined();
    await client.query("commit");
    await expect.poll(() => ran["within"]).toEqual(["worker"]);
  });

  test("nobody is told of what a process runs itself, of events that nobody waits for, nor of another schema's; and of nothing but that", async () => {
    const url = await freshUrl();
    const admin = await connect(url);
    await admin.query("create schema other");
    const elsewhere = `${url}?options=${encodeURIComponent("-c search_path=other")}`;
    const told: [channel: string, payload: string | undefined][] = [];
    admin.on("notification", ({ channel, payload }) => told.push([channel, payload]));
    const [here, there] = [url, elsewhere].map((at) => startProcess("worker", open(at)));
    if (here === undefined || there === undefined) return;
    await Promise.all([here.engine.tick(), there.engine.tick()]);
    const channelIn = async (schema: string): Promise<string> => {
      const { rows } = await admin.query<{ id: string }>(
        `select '${schema}.workflow_task_workflows'::regclass::oid::text as id`,
      );
      return `escapement_${rows[0]?.id ?? ""}`;
    };
    const [channel, otherChannel] = [await channelIn("public"), await channelIn("other")];
    await admin.query(`listen "${channel}"; listen "${otherChannel}"`);
    const claimed = { workflowName: "work", instanceId: "claimed", params: null, start: null };
    const claim = { token: "t", leaseMs: 60_000 };
    const store = open(url);
    await store.create([{ ...claimed, instanceRowId: "i", taskRowId: "t", claim }]);
    await store.close();
    await here.engine.createBatch("work", [{ id: "told" }, { id: "told-too" }]);
    await here.engine.createBatch("work", [{ id: "told" }]);
    await here.engine.tick();
    expect(await statusOf(here, "told")).toBe("waiting");
    const instance = await here.engine.workflows.WORK.get("told");
    await instance.sendEvent({ type: "other" });
    await there.engine.workflows.WORK.create({ id: "there" });
    await instance.sendEvent({ type: "go", payload: "x" });
    await here.engine.tick();
    await instance.restart();
    const expected = [channel, otherChannel, channel, channel];
    await expect.poll(() => told).toEqual(expected.map((name) => [name, ""]));
  });

  test("a listening connection that the server ends is opened anew", async () => {
    const url = await freshUrl();
    const [caller, worker] = [startProcess("caller", open(url)), startProcess("worker", open(url))];
    worker.work();
    await createRun(caller, "worker");
    const admin = await connect(url);
    for (let times = 1; times <= 2; times += 1) {
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'`;
      await expect.poll(async () => (await admin.query(end)).rowCount).toBe(1);
      await expect.poll(() => worker.events).toContain("loop.listen_failed");
      await createRun(caller, "worker");
      await createRun(caller, "worker");
    }
  });

  test("who is not told finds it by its poll", async () => {
    const url = await freshUrl();
    const caller = startProcess("caller", open(url, { notify: false }));
    startProcess("worker", open(url)).work(20);
    for (let times = 0; times < 3; times += 1) await createRun(caller, "worker");
  });

  test.skipIf(!pgBouncerAvailable())(
    "behind a pooler the poll goes on, and one line of the log says why",
    async () => {
      const url = await freshUrl();
      const bouncer = await startPgBouncer(url);
      cleanups.push(() => bouncer.stop());
      const caller = startProcess("caller", open(bouncer.url));
      const worker = startProcess("worker", open(bouncer.url));
      worker.work(20);
      await createRun(caller, "worker");
      await expect.poll(() => worker.events, { timeout: 60_000 }).toEqual(["loop.not_notified"]);
      await createRun(caller, "worker");
    },
  );
});
