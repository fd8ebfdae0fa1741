/**
 * What spans cost, by how many are sampled: processor time on Postgres, of the process and of the server, by a process for each
 * configuration, in many short turns. What else the machine does meets neighbours alike, so their ratio is the same on a busy one. Two
 * processes of the same code differ too, for as long as they live: so all are begun anew several times.
 */
import type { ChildProcess } from "node:child_process";
import { createPgDatabase } from "@escapement/db/pg";
import { bundleSide, thisCheckout } from "../against/checkout.ts";
import { ask, startSide, stop } from "../against/sides.ts";
import { createServerClock, type ProcessorClock } from "../processor-time.ts";
import { median } from "../rounds.ts";
import type { SizeName } from "../sizes.ts";
import { openPostgresServer } from "../stores/postgres-server.ts";
import { type Comparison, COMPARISONS, CONFIGURATIONS } from "./configurations.ts";
import type { FollowedCost, FollowedTask } from "./followed-side.ts";

interface Extent {
  readonly generations: number;
  /**
   * Rounds that are not counted: connections, statements and compiled code are new in them. What is called a few times in a
   * workflow is compiled after some thousands: with 10 rounds of a hundred, telemetry seems to cost four times what it does.
   */
  readonly warmUp: number;
  readonly rounds: number;
  readonly workflows: number;
  /** After it no generation is begun. */
  readonly budgetMs: number;
}

const EXTENTS: Readonly<Record<SizeName, Extent>> = {
  tiny: { generations: 1, warmUp: 0, rounds: 1, workflows: 10, budgetMs: 60_000 },
  quick: { generations: 5, warmUp: 100, rounds: 20, workflows: 100, budgetMs: 180_000 },
  full: { generations: 15, warmUp: 100, rounds: 40, workflows: 100, budgetMs: 1_800_000 },
};

export interface TelemetryOptions {
  readonly sizeName: SizeName;
  /** null: a private server. */
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

/** Of one workflow of three steps, in microseconds of processor time. */
interface Cost {
  readonly process: number;
  /** NaN: the system does not say. */
  readonly server: number;
  /** To the database. */
  readonly trips: number;
}

/** By configuration, in order. */
type Round = readonly Cost[];

/** Of generations, each of which is the median of its rounds: the median, the least and the most. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface ComparisonFigures {
  readonly comparison: Comparison;
  /** More processor time of the process, and of process and server together; 0.01 is one percent. */
  readonly ofProcess: Spread;
  readonly ofWhole: Spread;
}

export interface TelemetryFigures {
  readonly generations: number;
  /** Of the plain configuration: medians. */
  readonly plain: Cost;
  /** Trips of a workflow by configuration: means. */
  readonly trips: readonly { readonly name: string; readonly trips: number }[];
  readonly comparisons: readonly ComparisonFigures[];
}

export async function measureTelemetry(options: TelemetryOptions): Promise<TelemetryFigures> {
  const program = await bundleSide(thisCheckout, "benchmarks/src/telemetry/followed-side.ts");
  const server = await openPostgresServer(options.postgresUrl, { durable: false });
  const database = createPgDatabase({ connectionString: server.url, max: 1 });
  try {
    const clock = (await createServerClock(database)) ?? (() => Number.NaN);
    const generations: (readonly Round[])[] = [];
    const extent = EXTENTS[options.sizeName];
    const endsAtMs = performance.now() + extent.budgetMs;
    while (generations.length < extent.generations && performance.now() < endsAtMs) {
      options.say(`generation ${generations.length + 1} of ${extent.generations}`);
      generations.push(await playGeneration({ program, url: server.url, clock }, extent));
    }
    return toFigures(generations);
  } finally {
    await database.close?.();
    await server.remove();
  }
}

interface Place {
  readonly program: string;
  readonly url: string;
  readonly clock: ProcessorClock;
}

async function playGeneration(place: Place, extent: Extent): Promise<readonly Round[]> {
  const sides: ChildProcess[] = [];
  for (const { name } of CONFIGURATIONS)
    sides.push(await startSide(place.program, [name, place.url]));
  const rounds: Round[] = [];
  for (let round = 0; round < extent.warmUp + extent.rounds; round += 1)
    rounds.push(await playRound(sides, { round, clock: place.clock, workflows: extent.workflows }));
  await Promise.all(sides.map(stop));
  return rounds.slice(extent.warmUp);
}

interface Turn {
  readonly round: number;
  readonly clock: ProcessorClock;
  readonly workflows: number;
}

/** Each round begins with another side, so that none has always the same one before it. */
async function playRound(
  sides: readonly ChildProcess[],
  { round, clock, workflows }: Turn,
): Promise<Round> {
  const task: FollowedTask = { workflows };
  const costs: Cost[] = [];
  for (let turn = 0; turn < sides.length; turn += 1) {
    const index = (turn + round) % sides.length;
    const beganMs = clock();
    const { cpuUs, trips } = (await ask(sides[index] as ChildProcess, task)) as FollowedCost;
    costs[index] = { process: cpuUs, server: ((clock() - beganMs) * 1000) / workflows, trips };
  }
  return costs;
}

function toFigures(generations: readonly (readonly Round[])[]): TelemetryFigures {
  const plain = generations.flat().flatMap(([first]) => (first === undefined ? [] : [first]));
  return {
    generations: generations.length,
    plain: {
      process: median(plain.map(({ process: us }) => us)),
      server: median(plain.map(({ server: us }) => us)),
      trips: mean(plain.map(({ trips }) => trips)),
    },
    trips: CONFIGURATIONS.map(({ name }, index) => ({
      name,
      trips: mean(generations.flat().map((costs) => costs[index]?.trips ?? Number.NaN)),
    })),
    comparisons: COMPARISONS.map((comparison) => ({
      comparison,
      ofProcess: toSpread(generations, comparison, ({ process: us }) => us),
      ofWhole: toSpread(generations, comparison, ({ process: us, server }) => us + server),
    })),
  };
}

function toSpread(
  generations: readonly (readonly Round[])[],
  { of, than }: Comparison,
  read: (cost: Cost) => number,
): Spread {
  const [one, other] = [of, than].map((name) =>
    CONFIGURATIONS.findIndex((configuration) => configuration.name === name),
  );
  const at = (round: Round, index = -1): number => {
    const cost = round[index];
    return cost === undefined ? Number.NaN : read(cost);
  };
  const shares = generations.map((rounds) =>
    median(rounds.map((round) => at(round, one) / at(round, other) - 1)),
  );
  return { median: median(shares), least: Math.min(...shares), most: Math.max(...shares) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
