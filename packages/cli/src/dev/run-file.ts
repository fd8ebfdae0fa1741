/** @module The process that runs the file: its engine, a server for this machine, and the dashboard. Loaded by `escapement dev`. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { withDashboard } from "@escapement/dashboard";
import { createEngine, type Engine, type Logger, WorkflowError } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createSqlStore, type SqlStore } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import { openDatabase } from "../database/open-database.ts";
import { toRefusal } from "../database/to-refusal.ts";
import { toPlainJson } from "../plain-text.ts";
import { loadWorkflows, type UserWorkflows } from "../user-workflows.ts";
import type { DevSettings } from "./dev-settings.ts";
import { onlyThisMachine } from "./only-this-machine.ts";
import { PORT_TAKEN, type Running } from "./supervise.ts";
import { tellDivergences } from "./tell-divergences.ts";

const HOSTNAME = "127.0.0.1";
const DEFAULT_PORT = 4040;

/** Resolves when it was asked to stop, and has released what it held. @throws {RefusedError} it cannot be run */
export async function runFile(settings: DevSettings): Promise<void> {
  const code = await loadWorkflows(settings.file);
  const store = await openStore(settings);
  await prepare(store);
  const platform = createNodePlatform({ handleSignals: true, graceMs: 3000, pollMs: 1000 });
  const runnerId = toRunnerId(settings);
  const engine = orRefuse(() =>
    createEngine({
      ...code,
      store,
      platform,
      logger: LOGGER,
      runnerId,
      bulk: true,
      http: { open: true },
    }),
  );
  const server = await listen(engine, code, settings.port);
  const running = platform.start({ server });
  const workflows = engine.listWorkflows().map(({ name }) => name);
  const told: Running = { url: server.url, port: server.port, workflows };
  process.send?.(told);
  // The process that started it is gone, so nothing else would stop it.
  process.once("disconnect", () => void running.stop());
  void tellDivergences(code, store);
  await running.stopped;
}

/** Reports an error in the file's workflows in one line, like an error in the file. */
function orRefuse<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Reports at once if a database cannot be used, or its driver is missing. */
async function prepare(store: SqlStore): Promise<void> {
  try {
    await store.migrate();
  } catch (error) {
    throw toRefusal(error);
  }
}

type Server = Awaited<ReturnType<typeof serve>>;

async function listen(
  engine: Engine,
  { workflows }: UserWorkflows,
  port: number | null,
): Promise<Server> {
  const shown = withDashboard(engine, {
    authorize: () => true,
    allow: ["start", "steer", "events", "delete", "payloads"],
    workflows,
  });
  const options = { engine: onlyThisMachine(shown), hostname: HOSTNAME };
  try {
    return await serve({ ...options, port: port ?? DEFAULT_PORT });
  } catch (error) {
    const isTaken = WorkflowError.is(error) && error.details["reason"] === "EADDRINUSE";
    if (!isTaken) throw toRefusal(error);
    if (port === null) return await serve({ ...options, port: 0 });
    return process.exit(PORT_TAKEN);
  }
}

/** Creates a missing file, in a folder that Git ignores. */
async function openStore({ db, token, timeout }: DevSettings): Promise<SqlStore> {
  if (/^[a-z][a-z+]+:/i.test(db) && !db.startsWith("file:")) {
    const database = await openDatabase(db, { token, timeout });
    return createSqlStore({ database, migrations: "auto", logger: LOGGER });
  }
  const file = db.replace(/^file:/, "");
  const folder = dirname(resolve(file));
  mkdirSync(folder, { recursive: true });
  if (basename(folder) === ".escapement") writeFileSync(`${folder}/.gitignore`, "*\n");
  return sqlite(file, { synchronous: "NORMAL", logger: LOGGER });
}

/** After a reload, the next process takes over at once what this one held; a process of another machine or file never does. */
function toRunnerId({ file, db, port }: DevSettings): string {
  const whose = [hostname(), resolve(file), db, port ?? DEFAULT_PORT].join("\n");
  return `dev-${createHash("sha256").update(whose).digest("hex").slice(0, 24)}`;
}

/** Logs failures, but not that everything is open, which was said in other words. */
const LOGGER: Logger = {
  log: (level, event, fields) => {
    if ((level !== "warn" && level !== "error") || event.startsWith("http.open")) return;
    process.stderr.write(`${toPlainJson({ level, event, ...fields }, 0)}\n`);
  },
};
