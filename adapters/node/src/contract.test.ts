import { join } from "node:path";
import { type AdapterFixture, describeAdapterContract } from "@escapement/adapter-contract";
import { CONTRACT_TICK, CONTRACT_WORKFLOWS, withProbes } from "@escapement/adapter-contract/app";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import LibsqlConnection from "libsql";
import { nodeHost, scheduler, serve } from "./index.ts";

const A_MINUTE_MS = 60_000;
const STAYS = "a process that stays does the work, unasked";

describeAdapterContract({
  name: "node",
  skip: null,
  capabilities: { invocations: STAYS, deadlines: STAYS, exactWakes: STAYS },
  open: ({ hasTickSecrets, losesWakes }) => openFixture(hasTickSecrets, losesWakes),
});

async function openFixture(hasTickSecrets: boolean, losesWakes: boolean): Promise<AdapterFixture> {
  const directory = temporaryDirectory();
  const closers: (() => Promise<void>)[] = [async () => directory.remove()];
  const open = (): Promise<Engine> =>
    openEngine(join(directory.path, "data.db"), hasTickSecrets, closers);
  const engine = await open();
  const server = await serve({ engine, port: 0 });
  closers.push(() => server.close());
  const work = (worker: Engine, pollMs: number): void => {
    const loop = scheduler(worker, { pollMs, graceMs: 1000 });
    closers.push(() => loop.stop());
  };
  // With wakes nothing here may come from polling; without, another process has nothing but its polls.
  if (!losesWakes) work(engine, A_MINUTE_MS);
  return {
    call: ({ path, ...init }) => fetch(`${server.url}${path}`, init),
    safetyTick: async () => work(await open(), 20),
    teardown: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

async function openEngine(
  file: string,
  hasTickSecrets: boolean,
  closers: (() => Promise<void>)[],
): Promise<Engine> {
  const connection = new LibsqlConnection(file);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  const database = createSqliteDatabase(connection);
  closers.push(() => database.close());
  await migrate(database);
  const store = createSqlStore({ database });
  const http = hasTickSecrets ? { tick: CONTRACT_TICK } : {};
  const logger = { log: () => undefined };
  const workflows = CONTRACT_WORKFLOWS;
  return withProbes(createEngine({ workflows, store, host: nodeHost, http, logger }));
}
