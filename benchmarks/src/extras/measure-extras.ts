/** What is reported and has no target: trips per operation, memory and storage per instance. */
import type { Database } from "@escapement/db";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { Contender } from "../contender.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONNECTIONS } from "../sizes.ts";
import type { Stage } from "../stores/stage.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import { measureHeapBytes } from "./collect-garbage.ts";
import { type CountingDatabase, createCountingDatabase } from "./counting-database.ts";
import { measureDatabaseBytes } from "./database-size.ts";

/** One line of the report. */
export interface ExtraLine {
  readonly name: string;
  readonly value: string;
}

interface Bench {
  readonly ours: Contender;
  readonly counting: CountingDatabase;
  readonly database: Database;
  readonly milestones: Milestones;
}

const PARKED_COUNT = 2000;
const HELD_COUNT = 10;
const HELD_STEPS = 1000;

/** Opens our side only. The stage is removed afterwards. */
export async function measureExtras(stage: Stage): Promise<readonly ExtraLine[]> {
  try {
    const counting = createCountingDatabase(stage.openDatabase(CONNECTIONS));
    const { database } = counting;
    await migrate(database);
    const milestones = new Milestones();
    const ours = createOurs(createSqlStore({ database }), milestones);
    try {
      const bench = { ours, counting, database, milestones };
      return [
        ...(await countTrips(bench)),
        ...(await measureParked(bench)),
        await measureHeld(bench),
      ];
    } finally {
      await ours.close();
    }
  } finally {
    await stage.remove();
  }
}

async function countTrips({ ours, counting }: Bench): Promise<ExtraLine[]> {
  let id = "";
  const runThree = async (): Promise<unknown> =>
    ours.ended(await ours.start("three", { key: "trips" }));
  const park = async (): Promise<unknown> => {
    id = await ours.start("event", { key: "trips" });
    return ours.parked(id);
  };
  const wake = async (): Promise<unknown> => {
    await ours.sendEvent(id, {});
    return ours.ended(id);
  };
  const fan = async (): Promise<unknown> =>
    ours.ended(await ours.start("fan", { key: "trips", stepCount: 50 }));
  const works = {
    "three steps, created and run here": runThree,
    "created, until it waits for an event": park,
    "event sent, until it is done": wake,
    "50 steps in parallel, created and run here": fan,
  };
  // The loop's first look at the database is over after one run.
  await runThree();
  const lines: ExtraLine[] = [];
  for (const [name, work] of Object.entries(works)) {
    const { trips, statements } = await counting.count(work);
    lines.push({ name: `trips: ${name}`, value: `${trips} (${statements} statements)` });
  }
  return lines;
}

async function measureParked({ ours, database, milestones }: Bench): Promise<ExtraLine[]> {
  const parkOne = async (): Promise<unknown> =>
    ours.parked(await ours.start("event", { key: "memory" }));
  await inParallel(200, 32, parkOne);
  milestones.clear();
  const before = {
    heap: await measureHeapBytes(),
    database: await measureDatabaseBytes(database),
  };
  await inParallel(PARKED_COUNT, 32, parkOne);
  milestones.clear();
  const heapBytes = (await measureHeapBytes()) - before.heap;
  const databaseBytes = (await measureDatabaseBytes(database)) - before.database;
  return [
    { name: "memory: heap per parked instance", value: toText(heapBytes / PARKED_COUNT) },
    { name: "storage: database per parked instance", value: toText(databaseBytes / PARKED_COUNT) },
  ];
}

/** Instances that have a long history and are in the middle of a step. */
async function measureHeld({ ours, milestones }: Bench): Promise<ExtraLine> {
  const before = await measureHeapBytes();
  const keys = Array.from({ length: HELD_COUNT }, (_, index) => `held-${index}`);
  const ids = await Promise.all(
    keys.map((key) => ours.start("held", { key, stepCount: HELD_STEPS })),
  );
  await Promise.all(keys.map((key) => milestones.reached(`${key}:held`)));
  const bytes = (await measureHeapBytes()) - before;
  for (const key of keys) milestones.reach(`${key}:let go`);
  await Promise.all(ids.map((id) => ours.ended(id)));
  const value = toText(bytes / HELD_COUNT);
  return { name: `memory: heap per live history of ${HELD_STEPS} steps`, value };
}

const toText = (bytes: number): string =>
  bytes < 10_000 ? `${Math.round(bytes)} bytes` : `${Math.round(bytes / 1024)} KiB`;
