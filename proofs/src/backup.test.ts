/** A backup that was taken while runs were on their way is restored: each goes on, and what came after the backup is done again. */
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createHarness, withVirtualClock } from "@escapement/engine/testing";
import { startPostgres, temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { afterEach, expect, test } from "vitest";

const run = promisify(execFile);
const HOUR_MS = 3_600_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Key of each body that ran. */
let effects: string[] = [];
/** What a body that is under way waits for. */
let gate: Promise<unknown> = Promise.resolve();

const ORDER = defineWorkflow({ name: "order" }, async (_event, step) => {
  const act = ({ idempotencyKey }: { readonly idempotencyKey: string }): void =>
    void effects.push(idempotencyKey);
  await step.do("charge", act);
  await step.sleep("cool off", "2 hours");
  await step.do("ship", async (body) => {
    act(body);
    await gate;
  });
  const { payload } = await step.waitForEvent("go", { type: "go", timeout: "9 days" });
  await step.do("thank", act);
  return payload;
});

async function openHarness(plain: Database) {
  await migrate(plain);
  const { database, clock } = await withVirtualClock(plain);
  const store = createSqlStore({ database });
  cleanups.push(() => store.close());
  return createHarness({ workflows: { ORDER }, store: { store, clock } });
}

const openFile = (path: string): Database => {
  const connection = new Libsql(path);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  return createSqliteDatabase(connection);
};

interface Backup {
  readonly open: () => Database;
  /** Takes it, and gives the database of the restore. */
  readonly backUp: () => Promise<() => Database>;
}

const isThere = (command: string): boolean => {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn(`SKIPPED: a backup by ${command}, which is not installed here`);
    return false;
  }
};

function onFile(copy: (from: string, to: string) => Promise<unknown>): Promise<Backup> {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const [from, to] = [join(directory.path, "data.db"), join(directory.path, "backup.db")];
  return Promise.resolve({
    open: () => openFile(from),
    async backUp() {
      await copy(from, to);
      return () => openFile(to);
    },
  });
}

const byVacuum = (): Promise<Backup> =>
  onFile(async (from, to) => {
    const connection = new Libsql(from);
    connection.prepare("vacuum into ?").run(to);
    connection.close();
  });

const bySqlite3 = (): Promise<Backup> =>
  onFile((from, to) => run("sqlite3", [from, `.backup '${to}'`]));

/** The oldest server that is supported: whatever `pg_dump` there is reads it. */
async function byPgDump(): Promise<Backup> {
  const [server, other] = [
    await startPostgres({ version: 14, durable: false }),
    await startPostgres({ version: 14, durable: false }),
  ];
  cleanups.push(
    () => server.stop(),
    () => other.stop(),
  );
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = join(directory.path, "backup.sql");
  return {
    open: () => createPgDatabase({ connectionString: server.url, max: 4 }),
    async backUp() {
      await run("pg_dump", ["--no-owner", "--file", file, server.url]);
      await run("psql", ["--quiet", "--set", "ON_ERROR_STOP=1", "--file", file, other.url]);
      return () => createPgDatabase({ connectionString: other.url, max: 4 });
    },
  };
}

const WAYS: readonly (readonly [string, () => Promise<Backup>])[] = [
  ["vacuum into", byVacuum],
  ...(isThere("sqlite3") ? [["the shell's .backup", bySqlite3] as const] : []),
  ...(process.env["ESCAPEMENT_TEST_SERVERS"] !== "0" && isThere("pg_dump")
    ? [["pg_dump and psql", byPgDump] as const]
    : []),
];

test.each(WAYS)(
  "S8-018 a backup by %s that was taken while runs were on their way goes on where it is restored: what came before it is not done again, what came after is, with the same keys",
  async (_way, openWay) => {
    effects = [];
    let release = (): void => {};
    gate = new Promise<void>((resolve) => (release = resolve));
    const { open, backUp } = await openWay();
    const source = await openHarness(open());
    // One asleep, one in its body, one waiting with an event that nobody has taken, one that has ended.
    await source.engine.createInstance("order", { id: "in-body" });
    await source.runUntilIdle();
    await source.clock.advance(2 * HOUR_MS);
    const ticking = source.tick();
    await expect.poll(() => effects).toContain("order/in-body/1/ship");
    await source.engine.createInstance("order", { id: "asleep" });
    await source.tick();
    await source.engine.sendEvent("order", "asleep", { type: "go", payload: "early" });
    const openRestored = await backUp();

    // What is lost: it happens after the backup, and the database is gone then.
    release();
    await ticking;
    await source.engine.sendEvent("order", "in-body", { type: "go", payload: "lost" });
    await source.engine.createInstance("order", { id: "lost" });
    await source.runThroughTime();
    expect((await source.status("order", "in-body")).output).toBe("lost");
    expect((await source.status("order", "asleep")).output).toBe("early");
    const before = [...effects];
    effects = [];

    const restored = await openHarness(openRestored());
    // Whoever held a lease is gone.
    await restored.clock.advance(HOUR_MS);
    await restored.runUntilIdle();
    await restored.engine.sendEvent("order", "in-body", { type: "go", payload: "again" });
    await restored.runThroughTime();
    expect((await restored.status("order", "in-body")).output).toBe("again");
    expect((await restored.status("order", "asleep")).output).toBe("early");
    await expect(restored.engine.getInstance("order", "lost")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
    const again = [
      "order/asleep/1/ship",
      "order/asleep/1/thank",
      "order/in-body/1/ship",
      "order/in-body/1/thank",
    ];
    expect(effects.toSorted()).toEqual(again);
    expect(before).toEqual(expect.arrayContaining(again));
  },
);
