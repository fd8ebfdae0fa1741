/**
 * Writes the stored histories, by the code of an earlier commit: it plays part of the programs and dumps the database.
 *
 *   git worktree add --detach <folder> <commit>, and install what it needs there; then in this folder
 *   node --import tsx write-history.ts <folder> <name of the file> <url of an empty Postgres database>
 */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { createEngine } from "@escapement/engine";
import type { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { Database } from "@escapement/db";
import Libsql from "libsql";
import { type Authoring, createPrograms } from "./programs.ts";
import { dumpSqlite, type StoredHistory } from "./stored-history.ts";

const [folder = "", name = "", postgresUrl = ""] = process.argv.slice(2);

/** What the commit exports, taken for what is exported today: the programs use what both have. */
interface Version extends Authoring {
  readonly createEngine: typeof createEngine;
  readonly createSqlStore: typeof createSqlStore;
  readonly migrate: typeof migrate;
}

const load = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(resolve(folder, path)).href)) as T;

const version: Version = {
  ...(await load<Version>("packages/engine/src/index.ts")),
  ...(await load<Version>("packages/engine/src/stores/sql/index.ts")),
};
const { nodeHost } = await load<{ nodeHost: object | undefined }>("adapters/node/src/index.ts");

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Plays the programs as far as the histories are to go. @returns the bodies that ran, and when it ended */
async function play(database: Database): Promise<Pick<StoredHistory, "bodies" | "writtenAt">> {
  const bodies: string[] = [];
  const workflows = createPrograms(version, {
    ran: (instanceId, stepKey) => void bodies.push(`${instanceId} ${stepKey}`),
    diesIn: (instanceId, stepKey) => instanceId === "died" && stepKey === "address",
  });
  await version.migrate(database);
  const store = version.createSqlStore({ database });
  const host = nodeHost === undefined ? {} : { host: nodeHost };
  const { workflows: bound, ...engine } = version.createEngine({ workflows, store, ...host });
  const { ORDER, FLAKY, PARALLEL, REPEATED } = bound;
  const brief = { quantity: 2, restMs: 1000 };
  const long = { quantity: 3, restMs: 3_600_000 };
  const tick = (): Promise<unknown> => engine.tick({ maxInstances: 50 });

  for (const id of ["completed", "waiting", "answered", "restarted", "terminated"])
    await ORDER.create({ id, params: brief });
  for (const id of ["asleep", "early", "paused"]) await ORDER.create({ id, params: long });
  await FLAKY.create({ id: "retrying", params: { isLost: false } });
  await FLAKY.create({ id: "errored", params: { isLost: true } });
  await PARALLEL.create({ id: "parallel" });
  await REPEATED.create({ id: "repeated" });
  await tick();
  await pause(1500);
  await tick();

  const order = (id: string) => ORDER.get(id);
  await (await order("completed")).sendEvent({ type: "paid", payload: { by: "card" } });
  await tick();
  await pause(1500);
  await tick();
  await (await order("paused")).pause();
  await (await order("restarted")).restart();
  await (await order("terminated")).terminate();
  await tick();
  await ORDER.create({ id: "died", params: brief });
  void engine.tick({ maxInstances: 1 });
  await pause(1000);
  await (await order("answered")).sendEvent({ type: "paid", payload: { by: "cash" } });
  await (await order("early")).sendEvent({ type: "paid", payload: { by: "cheque" } });
  await ORDER.create({ id: "queued", params: brief });
  return { bodies, writtenAt: Date.now() };
}

async function writeSqlite(): Promise<StoredHistory> {
  const { createSqliteDatabase, applyRecommendedPragmas } = await load<{
    createSqliteDatabase: (connection: unknown) => Database;
    applyRecommendedPragmas: (connection: unknown) => void;
  }>("packages/db/src/clients/sqlite.ts");
  const path = join(tmpdir(), `history-${process.pid}.db`);
  const connection = new Libsql(path);
  applyRecommendedPragmas(connection);
  const played = await play(createSqliteDatabase(connection));
  const statements = dumpSqlite(connection);
  rmSync(path);
  return { ...played, statements };
}

async function writePostgres(): Promise<StoredHistory> {
  const { createPgDatabase } = await load<{
    createPgDatabase: (options: { connectionString: string }) => Database;
  }>("packages/db/src/clients/pg/index.ts");
  const played = await play(createPgDatabase({ connectionString: postgresUrl }));
  const options = ["--inserts", "--no-owner", "--no-privileges", "--schema=public"];
  const { stdout, stderr, status } = spawnSync("pg_dump", [...options, postgresUrl], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const statements = stdout
    .split("\n")
    .filter(
      (line) => !/^(--|\\|SET |SELECT pg_catalog\.set_config|CREATE SCHEMA|COMMENT |$)/.test(line),
    )
    .join("\n")
    .split(/;\n/)
    .map((text) => text.replaceAll("\n", " ").trim())
    .filter((text) => text !== "");
  return { ...played, statements };
}

/** Stacks tell where the code was. */
const withoutPaths = (text: string): string =>
  text.replaceAll(resolve(folder), "/app").replaceAll(resolve("."), "/app");

for (const [database, history] of [
  ["sqlite", await writeSqlite()],
  ["postgres", await writePostgres()],
] as const)
  writeFileSync(`${name}.${database}.json`, `${withoutPaths(JSON.stringify(history, null, 1))}\n`);
process.exit();
