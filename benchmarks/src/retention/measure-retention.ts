/** W1 beside a long history of finished instances: without retention, and while retention deletes them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@escapement/db";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { openStage } from "../measure-store.ts";
import type { StoreName } from "../metrics.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONNECTIONS, type SizeName, SIZES } from "../sizes.ts";
import type { Stage } from "../stores/stage.ts";
import { WORKLOADS } from "../workloads/workloads.ts";
import { age, analyze, countInstances, insertOld } from "./old-instances.ts";

/** What one store came to. */
export interface RetentionFigures {
  /** Finished instances at the beginning. */
  readonly finished: number;
  /** Instances of three steps that end in a second, without and with retention. */
  readonly withoutPerSecond: number;
  readonly withPerSecond: number;
  /** With, divided by without: the median of the ratios of neighbours. */
  readonly ratio: number;
  /** Processor time of this process for each instance, without and with; of an embedded database, its work is in it. */
  readonly withoutCpuMs: number;
  readonly withCpuMs: number;
  /** Finished instances that retention deletes in a second beside that work. */
  readonly deletedPerSecond: number;
  /** The same where nothing else is done. */
  readonly idleDeletedPerSecond: number;
  /** Instances in the table after each of the last rounds, in which half of the time is work; at once, all that ended is old enough to go. */
  readonly steady: readonly number[];
}

const COUNTS: Readonly<
  Record<SizeName, { finished: number; rounds: number; steadyRounds: number }>
> = {
  tiny: { finished: 500, rounds: 1, steadyRounds: 1 },
  quick: { finished: 50_000, rounds: 15, steadyRounds: 8 },
  full: { finished: 1_000_000, rounds: 31, steadyRounds: 20 },
};

interface MeasureOptions {
  readonly store: StoreName;
  readonly sizeName: SizeName;
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

interface Scene {
  readonly stage: Stage;
  readonly database: Database;
  readonly sizeName: SizeName;
}

export async function measureRetention(options: MeasureOptions): Promise<RetentionFigures> {
  const { store, sizeName, postgresUrl, say } = options;
  const { finished, rounds, steadyRounds } = COUNTS[sizeName];
  const stage = await openStage(store, postgresUrl);
  const database = stage.openDatabase(2);
  const scene: Scene = { stage, database, sizeName };
  try {
    await migrate(database);
    say(`${store}: ${finished} finished instances`);
    await insertOld(database, finished);
    await analyze(database);
    const sides = await measureSides(scene, rounds, say);
    say(`${store}: nothing but retention`);
    const idleDeletedPerSecond = await measureIdle(scene);
    const steady = await measureSteady(scene, steadyRounds, say);
    return { finished, ...sides, idleDeletedPerSecond, steady };
  } finally {
    await database.close();
    await stage.remove();
  }
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly deletedPerSecond: number;
}

/** An engine, its loop running. */
function open({ stage }: Scene, isOn: boolean) {
  const milestones = new Milestones();
  const store = createSqlStore({ database: stage.openDatabase(CONNECTIONS) });
  const contender = createOurs(store, milestones, isOn ? { retention: "1 minute" } : {});
  return { milestones, contender };
}

/** W1 twice: what was loaded and compiled with the first is no part of the second. */
async function measureW1(scene: Scene, isOn: boolean): Promise<Sample> {
  const { milestones, contender } = open(scene, isOn);
  // Short, so that what else the machine does meets neighbours alike.
  const size = { ...SIZES[scene.sizeName], atOnce: 300 };
  const w1 = WORKLOADS.find(({ id }) => id === "w1b");
  const drive = async (): Promise<number> =>
    (await w1?.drive({ contender, milestones, size }))?.["w1ThroughputPerSecond"]?.[0] ?? 0;
  await drive();
  const before = await countInstances(scene.database);
  const cpu = process.cpuUsage();
  const perSecond = await drive();
  const { user, system } = process.cpuUsage(cpu);
  const gone = before + size.atOnce - (await countInstances(scene.database));
  await contender.close();
  const cpuMs = (user + system) / 1000 / size.atOnce;
  return { perSecond, cpuMs, deletedPerSecond: (gone * perSecond) / size.atOnce };
}

async function measureSides(
  scene: Scene,
  rounds: number,
  say: (message: string) => void,
): Promise<Omit<RetentionFigures, "finished" | "idleDeletedPerSecond" | "steady">> {
  const without: Sample[] = [];
  const withIt: Sample[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const isOn of round % 2 === 0 ? [true, false] : [false, true]) {
      const sample = await measureW1(scene, isOn);
      if (isOn) withIt.push(sample);
      else without.push(sample);
    }
    say(
      `round ${round} of ${rounds}: ${Math.round(without.at(-1)?.perSecond ?? 0)} and ${Math.round(withIt.at(-1)?.perSecond ?? 0)} a second`,
    );
  }
  const perSecondOf = (samples: readonly Sample[]): number[] =>
    samples.map(({ perSecond }) => perSecond);
  const cpuMsOf = (samples: readonly Sample[]): number[] => samples.map(({ cpuMs }) => cpuMs);
  const ratios = perSecondOf(withIt).map((rate, index) => rate / (without[index]?.perSecond ?? 0));
  return {
    withoutPerSecond: medianOf(perSecondOf(without)),
    withPerSecond: medianOf(perSecondOf(withIt)),
    ratio: medianOf(ratios),
    withoutCpuMs: medianOf(cpuMsOf(without)),
    withCpuMs: medianOf(cpuMsOf(withIt)),
    deletedPerSecond: medianOf(withIt.map(({ deletedPerSecond }) => deletedPerSecond)),
  };
}

async function measureIdle(scene: Scene): Promise<number> {
  const { contender } = open(scene, true);
  const before = await countInstances(scene.database);
  const begunAtMs = performance.now();
  await sleep(scene.sizeName === "tiny" ? 500 : 20_000);
  const gone = before - (await countInstances(scene.database));
  const tookMs = performance.now() - begunAtMs;
  await contender.close();
  return (gone * 1000) / tookMs;
}

/** Work, and as long a pause, again and again. */
async function measureSteady(
  scene: Scene,
  rounds: number,
  say: (message: string) => void,
): Promise<readonly number[]> {
  const { milestones, contender } = open(scene, true);
  const w1 = WORKLOADS.find(({ id }) => id === "w1b");
  const counts: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const begunAtMs = performance.now();
    await w1?.drive({ contender, milestones, size: SIZES[scene.sizeName] });
    await age(scene.database);
    await sleep(performance.now() - begunAtMs);
    counts.push(await countInstances(scene.database));
    milestones.clear();
    say(`${counts.at(-1)} instances after round ${round} of ${rounds}`);
  }
  await contender.close();
  return counts.slice(-5);
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
