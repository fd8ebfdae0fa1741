/** Every verb, in its own process, over HTTP and directly on the database: it prints and refuses the same. */
import { join } from "node:path";
import type { Engine } from "@escapement/engine";
import { libsql } from "@escapement/engine/libsql";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import type { SqlStore } from "@escapement/engine/store/sql";
import { serve } from "@escapement/node";
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Ended, runCommands } from "../testing-command.ts";
import { createTestingEngine, outages, TOKEN } from "../testing-workflows.ts";

vi.setConfig({ testTimeout: 150_000, hookTimeout: 150_000 });

const HAS_SERVERS = process.env["ESCAPEMENT_TEST_SERVERS"] !== "0";

interface Opened {
  readonly db: string;
  readonly store: SqlStore;
  remove(): unknown;
}

const DATABASES: readonly (readonly [
  name: string,
  isThere: boolean,
  open: () => Promise<Opened>,
])[] = [
  ["SQLite", true, openSqlite],
  ["Postgres", HAS_SERVERS, openPostgres],
  ["libSQL", HAS_SERVERS && sqldAvailable(), openSqld],
];

async function openSqlite(): Promise<Opened> {
  const directory = temporaryDirectory();
  const db = join(directory.path, "data.db");
  return { db, store: sqlite(db), remove: () => directory.remove() };
}

async function openPostgres(): Promise<Opened> {
  const { url, drop } = await createPostgresDatabase();
  return { db: url, store: postgres(url), remove: drop };
}

async function openSqld(): Promise<Opened> {
  const { url, stop } = await startSqld();
  return { db: url, store: libsql(url), remove: stop };
}

/** The state of instances before a command. */
type Scene = "waiting" | "errored" | "paused" | "terminated" | "none";

interface Case {
  readonly scene: Scene;
  /** @param id of the instance for this way */
  readonly args: (id: string, way: "http" | "db") => readonly string[];
}

const order =
  (verb: string, ...more: readonly string[]): Case["args"] =>
  (id) => [verb, "order", id, ...more];

/** Commands that change something. */
const CHANGES: Readonly<Record<string, Case>> = {
  start: {
    scene: "none",
    args: (id) => ["start", "order", '{"sku":"tea"}', "--id", id, "--tag", "web"],
  },
  "start later": {
    scene: "none",
    args: (id) => ["start", "order", "--id", id, "--delay", "1 day"],
  },
  send: { scene: "waiting", args: order("send", "approval", '{"by":"noor"}') },
  emit: { scene: "none", args: (_id, way) => ["emit", way === "http" ? "stock" : "price", "1"] },
  retry: { scene: "errored", args: order("retry") },
  "retry from a step": { scene: "errored", args: order("retry", "--from", "charge") },
  rewind: { scene: "waiting", args: order("rewind", "book/hotel/reserve") },
  fork: {
    scene: "waiting",
    args: (id) => ["fork", "order", id, "book/hotel/reserve", "--id", `${id}-again`],
  },
  cancel: { scene: "waiting", args: order("cancel") },
  terminate: { scene: "waiting", args: order("terminate") },
  pause: { scene: "waiting", args: order("pause") },
  resume: { scene: "paused", args: order("resume") },
  restart: { scene: "errored", args: order("restart", "--new-keys") },
  delete: { scene: "terminated", args: order("delete") },
  "retry what has not failed": { scene: "waiting", args: order("retry") },
  "retry of another run": { scene: "errored", args: order("retry", "--if-run", "7") },
  "delete too early": { scene: "waiting", args: order("delete") },
  "send to one that has ended": { scene: "terminated", args: order("send", "approval") },
  "start an id that is taken": { scene: "waiting", args: (id) => ["start", "order", "--id", id] },
};

/** Commands that only read, for the same instances. */
const LOOKS: readonly (readonly string[])[] = [
  ["ls"],
  ["ls", "--status", "errored,waiting", "--limit", "3"],
  ["ls", "--workflow", "order", "--tag", "seen"],
  ["ls", "--created-from", "2020-01-01", "--updated-before", "2021-01-01T00:00Z"],
  ["ls", "--workflow", "nobody"],
  ["show", "order", "seen-waiting"],
  ["show", "order", "seen-errored", "--payloads", "full"],
  ["show", "order", "nobody"],
  ["show", "nobody", "o-1"],
  ["explain", "order", "seen-waiting"],
  ["explain", "order", "seen-errored"],
  ["explain", "watch", "seen-topic"],
  ["activity", "--last", "day"],
  ["runners"],
  ["callbacks", "--limit", "5"],
];

const hasStatus = (engine: Engine, [workflow, id]: readonly [string, string], status: string) =>
  vi.waitFor(
    async () => {
      const { details } = await engine.getInstance(workflow, id);
      expect(details.status).toBe(status);
    },
    { timeout: 60_000, interval: 50 },
  );

async function prepare(engine: Engine): Promise<void> {
  const scenes = Object.entries(CHANGES).filter(([, { scene }]) => scene !== "none");
  const ids = scenes.flatMap(([name, { scene }]) =>
    (["http", "db"] as const).map((way) => [idOf(name, way), scene] as const),
  );
  const all = [...ids, ["seen-waiting", "waiting"], ["seen-errored", "errored"]] as const;
  const create = (id: string) => engine.createInstance("order", { id, tags: ["seen"] });
  const loop = engine.startLoop();
  outages.add("card reader");
  const errored = all.filter(([, scene]) => scene === "errored");
  for (const [id] of errored) await create(id);
  for (const [id] of errored) await hasStatus(engine, ["order", id], "errored");
  outages.clear();
  const others = all.filter(([, scene]) => scene !== "errored");
  for (const [id] of others) await create(id);
  for (const [workflow, id] of [
    ["watch", "seen-topic"],
    ["quote", "q-1"],
  ] as const) {
    await engine.createInstance(workflow, { id });
    await hasStatus(engine, [workflow, id], "waiting");
  }
  for (const [id] of others) await hasStatus(engine, ["order", id], "waiting");
  for (const [id, scene] of others) {
    if (scene === "paused") await engine.control("order", id, "pause");
    if (scene === "terminated") await engine.control("order", id, "terminate");
  }
  // From here on, only commands change anything.
  await loop.stop();
}

const idOf = (name: string, way: "http" | "db"): string => `${way}-${name.replaceAll(" ", "-")}`;

/** Instants and generated ids differ between two calls of one verb; so may the words of a refusal. */
const normalized = (ended: Ended | undefined): unknown => ({
  code: ended?.code,
  stdout: ended?.stdout
    .replaceAll(/\b(?:http|db)-(?=[a-z])/g, "")
    .replaceAll(/\b1[0-9]{12}\b/g, "0")
    .replaceAll(/\b\d+ hours \d+ minutes\b/g, "a while"),
  stderr: ended?.stderr.replaceAll(/escapement: ([A-Z_]+): .*/g, "$1"),
});

describe.each(DATABASES.filter(([, isThere]) => isThere))("straight at %s", (_name, _is, open) => {
  let opened: Opened;
  let engine: Engine;
  let close: () => Promise<void>;
  const environments: Record<"http" | "db", Record<string, string>> = { http: {}, db: {} };
  beforeAll(async () => {
    opened = await open();
    engine = createTestingEngine({ store: opened.store });
    await prepare(engine);
    const server = await serve({ engine, port: 0 });
    close = () => server.close();
    environments.http = { ESCAPEMENT_URL: `${server.url}/api/workflows`, ESCAPEMENT_TOKEN: TOKEN };
    environments.db = { ESCAPEMENT_DB: opened.db };
  });
  afterAll(async () => {
    await close();
    await engine.close();
    await opened.remove();
  });

  /** @param toArgs the arguments for one way */
  const both = (
    toArgs: (way: "http" | "db") => readonly (readonly string[])[],
  ): Promise<readonly (readonly Ended[])[]> =>
    Promise.all(
      (["http", "db"] as const).map((way) => {
        const lines = toArgs(way).map((args) => args.concat("--json"));
        return runCommands(lines, environments[way]);
      }),
    );

  test("S8-010 verbs that look give what they give over HTTP", async () => {
    const [http = [], db = []] = await both(() => LOOKS);
    for (const [index, args] of LOOKS.entries())
      expect([args, normalized(db[index])]).toEqual([args, normalized(http[index])]);
    expect(http.map(({ code }) => code)).toEqual([0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
  });

  test("S8-010 verbs that change something do, give and refuse what they do over HTTP", async () => {
    const cases = Object.entries(CHANGES);
    const [http = [], db = []] = await both((way) =>
      cases.map(([name, { args }]) => args(idOf(name, way), way)),
    );
    for (const [index, [name]] of cases.entries()) {
      expect([name, normalized(db[index])]).toEqual([name, normalized(http[index])]);
      const [first, second] = await Promise.all(
        (["http", "db"] as const).map((way) => stateOf(engine, idOf(name, way))),
      );
      expect([name, second]).toEqual([name, first]);
    }
    expect(http.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 14 }, () => 0),
      ...Array.from({ length: 5 }, () => 1),
    ]);
  });
});

/** null: the instance does not exist. */
async function stateOf(engine: Engine, id: string): Promise<unknown> {
  const instance = await engine.getInstance("order", id).catch(() => null);
  if (instance === null) return null;
  const { steps, events } = await engine.listHistory("order", id, {});
  return {
    status: instance.details.status,
    run: instance.details.runNumber,
    // Steps that settle at the same time have no fixed order.
    steps: steps.map(({ stepKey, status }) => `${stepKey} ${status}`).toSorted(),
    events: events.map(({ type, payload }) => [type, payload]),
  };
}
