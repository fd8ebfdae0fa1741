/**
 * What spans cost, by how many are sampled. How much more processor time a workflow takes is measured in memory, where nothing else is
 * waited for, by a process for each configuration, in turns; its share is one of the processor time that a workflow takes on Postgres.
 */
import type { ChildProcess } from "node:child_process";
import { bundleSide, thisCheckout } from "../against/checkout.ts";
import { ask, startSide, stop } from "../against/sides.ts";
import { median } from "../rounds.ts";
import type { SizeName } from "../sizes.ts";
import { openPostgresServer } from "../stores/postgres-server.ts";
import { type Configuration, CONFIGURATIONS } from "./configurations.ts";
import type { FollowedCost, FollowedTask } from "./followed-side.ts";

/** Many short turns rather than few long ones: what else the machine does meets neighbours alike. */
const WORKFLOWS = 100;
/** Rounds that are not counted: connections, statements and compiled code are new in them. */
const WARM_UP_ROUNDS = 12;
const ROUNDS: Readonly<Record<SizeName, number>> = { tiny: 1, quick: 500, full: 3000 };
/** Fewer rounds where the machine is slow. */
const BUDGET_MS: Readonly<Record<SizeName, number>> = {
  tiny: 60_000,
  quick: 70_000,
  full: 600_000,
};
const ROUNDS_ON_POSTGRES = 12;

export interface TelemetryOptions {
  readonly sizeName: SizeName;
  /** null: a private server. */
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

/** Of one workflow of three steps, in microseconds of processor time. */
export interface ConfigurationFigures {
  readonly configuration: Configuration;
  /** In memory: median. */
  readonly cpuUs: number;
  /** More than the configuration that it is compared with in the same round: median, and what 95 of 100 such medians lie between. */
  readonly moreUs: number;
  readonly between: readonly [number, number];
  /** `moreUs` of what the workflow takes on Postgres. */
  readonly share: number;
}

export interface TelemetryFigures {
  readonly rounds: number;
  /** What a workflow takes on Postgres, of the process that runs it, without spans: median. */
  readonly postgresUs: number;
  readonly configurations: readonly ConfigurationFigures[];
}

export async function measureTelemetry(options: TelemetryOptions): Promise<TelemetryFigures> {
  const program = await bundleSide(thisCheckout, "benchmarks/src/telemetry/followed-side.ts");
  const postgresUs = await measureOnPostgres(program, options);
  const sides: ChildProcess[] = [];
  for (const { name } of CONFIGURATIONS) sides.push(await startSide(program, [name]));
  const rounds = await playRounds(sides, options);
  await Promise.all(sides.map(stop));
  const configurations = CONFIGURATIONS.map((configuration) =>
    toFigures(configuration, rounds, postgresUs),
  );
  return { rounds: rounds.length, postgresUs, configurations };
}

async function measureOnPostgres(
  program: string,
  { postgresUrl, say }: TelemetryOptions,
): Promise<number> {
  say("on Postgres");
  const server = await openPostgresServer(postgresUrl);
  try {
    const side = await startSide(program, ["plain", server.url]);
    const costs: number[] = [];
    for (let round = -2; round < ROUNDS_ON_POSTGRES; round += 1) {
      const { cpuUs } = (await ask(side, { workflows: 3 * WORKFLOWS })) as FollowedCost;
      if (round >= 0) costs.push(cpuUs);
    }
    await stop(side);
    return median(costs);
  } finally {
    await server.remove();
  }
}

type Round = readonly FollowedCost[];

async function playRounds(
  sides: readonly ChildProcess[],
  { sizeName, say }: TelemetryOptions,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const endsAtMs = performance.now() + BUDGET_MS[sizeName];
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS[sizeName]; round += 1) {
    if (round > 1 && performance.now() > endsAtMs) break;
    if (round % 50 === 0) say(round < 1 ? "warmed up" : `round ${round} of ${ROUNDS[sizeName]}`);
    const costs = await playRound(sides, round);
    if (round >= 1) rounds.push(costs);
  }
  return rounds;
}

/** Each round begins with another side, so that none has always the same one before it. */
async function playRound(sides: readonly ChildProcess[], round: number): Promise<Round> {
  const task: FollowedTask = { workflows: WORKFLOWS };
  const costs: FollowedCost[] = [];
  for (let turn = 0; turn < sides.length; turn += 1) {
    const index = (turn + WARM_UP_ROUNDS + round) % sides.length;
    costs[index] = (await ask(sides[index] as ChildProcess, task)) as FollowedCost;
  }
  return costs;
}

function toFigures(
  configuration: Configuration,
  rounds: readonly Round[],
  postgresUs: number,
): ConfigurationFigures {
  const of = (wanted: string): number[] => {
    const index = CONFIGURATIONS.findIndex(({ name }) => name === wanted);
    return rounds.map((round) => round[index]?.cpuUs ?? Number.NaN);
  };
  const than = of(configuration.than);
  const cpu = of(configuration.name);
  const more = cpu.map((value, round) => value - (than[round] ?? Number.NaN));
  const moreUs = median(more);
  return {
    configuration,
    cpuUs: median(cpu),
    moreUs,
    between: boundsOfMedian(more),
    share: moreUs / postgresUs,
  };
}

/** By ranks, whatever the values are distributed like. */
function boundsOfMedian(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const reach = 0.98 * Math.sqrt(sorted.length);
  const at = (rank: number): number =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))] ?? Number.NaN;
  return [at(sorted.length / 2 - reach - 1), at(sorted.length / 2 + reach)];
}
