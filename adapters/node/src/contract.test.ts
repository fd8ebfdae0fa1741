import type { LoopPlatform } from "@escapement/engine/adapter";
import { join } from "node:path";
import {
  type AdapterFixture,
  describeAdapterContract,
  type FixtureOptions,
} from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  type ContractFaults,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import type { Database } from "@escapement/db";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import LibsqlConnection from "libsql";
import { createNodePlatform, serve } from "./index.ts";

const A_MINUTE_MS = 60_000;
const STAYS = "a process that stays does the work, unasked";

describeAdapterContract({
  name: "node",
  skip: null,
  capabilities: {
    invocations: STAYS,
    deadlines: STAYS,
    exactWakes: STAYS,
    faults: true,
    clockSkew: true,
    unknownEvents: "only requests come in",
  },
  open: openFixture,
});

async function openFixture(options: FixtureOptions): Promise<AdapterFixture> {
  const directory = temporaryDirectory();
  const closers: (() => Promise<void>)[] = [async () => directory.remove()];
  // At the start, the tables are really missing; later outages are simulated.
  const faults = createFaults(options.database === "down" ? "down" : "up");
  const file = join(directory.path, "data.db");
  const open = (pollMs: number): Promise<Opened> => {
    const platform = createNodePlatform({ pollMs, graceMs: 1000 });
    return openEngine({ file, options, faults, closers, platform });
  };
  // With wakes, nothing here may come from polling; without wakes, another process only has its polls.
  const { engine, platform } = await open(A_MINUTE_MS);
  const server = await serve({ engine, port: 0 });
  closers.push(() => server.close());
  const work = ({ start }: LoopPlatform): void => {
    const loop = start();
    closers.push(() => loop.stop());
  };
  if (!options.losesWakes) work(platform);
  return {
    setDatabase: async (state) => {
      if (state === "up") await migrateFile(file);
      faults.setDatabase(state);
    },
    call: ({ path, ...init }) => fetch(`${server.url}${path}`, init),
    safetyTick: async () => work((await open(20)).platform),
    teardown: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

interface EngineParts {
  readonly file: string;
  readonly options: FixtureOptions;
  readonly faults: ContractFaults;
  readonly closers: (() => Promise<void>)[];
  readonly platform: LoopPlatform;
}

interface Opened {
  readonly engine: Engine;
  readonly platform: LoopPlatform;
}

async function openEngine(parts: EngineParts): Promise<Opened> {
  const { file, options, faults, closers, platform } = parts;
  const database = openDatabase(file);
  closers.push(() => database.close());
  if (options.database !== "unmigrated") await migrate(database);
  const now = createClock(options.clockOffMs);
  const engine = createEngine({
    workflows: CONTRACT_WORKFLOWS,
    store: faults.wrapStore(createSqlStore({ database })),
    platform,
    host: { now },
    http: { ...CONTRACT_ACCESS, ...(options.hasTickSecrets ? { tick: CONTRACT_TICK, now } : {}) },
    logger: faults.logger,
  });
  return { engine: withProbes(engine, faults), platform };
}

function openDatabase(file: string): Database {
  const connection = new LibsqlConnection(file);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  return createSqliteDatabase(connection);
}

/** As in a deployment, in a process of its own. */
async function migrateFile(file: string): Promise<void> {
  const database = openDatabase(file);
  await migrate(database);
  await database.close();
}
