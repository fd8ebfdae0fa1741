/** Two commits of the engine in one interleaved run: a process each, on one Postgres, in turns. */
import type { ChildProcess } from "node:child_process";
import { median } from "../rounds.ts";
import { type Size, type SizeName, SIZES } from "../sizes.ts";
import { openPostgresServer } from "../stores/postgres-server.ts";
import type { Samples } from "../workloads/workloads.ts";
import { bundleSide, checkOut, thisCheckout } from "./checkout.ts";
import { ask, startSide, stop } from "./sides.ts";

/** Milliseconds or a rate per second, as the metric's name says. */
export interface AgainstFigures {
  readonly ours: number;
  readonly theirs: number;
  /** ours / theirs */
  readonly ratio: number;
}

export interface AgainstOptions {
  readonly commit: string;
  readonly sizeName: SizeName;
  /** Workloads by id; empty: `COMPARED`. */
  readonly only: readonly string[];
  /** null: a private server. */
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

/** Without sleeps and single events, which say little of an engine's cost. */
const COMPARED = ["w1a", "w1b", "w2", "w5"];
/**
 * Pairs of processes, one of each commit. A process is up to 6 % slower or faster than another of the same commit for as long as
 * it lives, so that a single pair says more about itself than about the commits.
 */
const PAIRS: Readonly<Record<SizeName, number>> = { tiny: 1, quick: 2, full: 4 };
/** Rounds of a pair: many short ones rather than few long ones, so that what else the machine does meets both alike. */
const ROUNDS: Readonly<Record<SizeName, number>> = { tiny: 1, quick: 15, full: 15 };
/** Rounds that are not counted: connections, statements and compiled code are new in them. */
const WARM_UP_ROUNDS: Readonly<Record<SizeName, number>> = { tiny: 1, quick: 5, full: 10 };

/** @returns by metric, the medians over all rounds */
export async function measureAgainst(
  options: AgainstOptions,
): Promise<ReadonlyMap<string, AgainstFigures>> {
  const { commit, postgresUrl, say } = options;
  say(`checking out ${commit}`);
  const theirs = checkOut(commit);
  try {
    const server = await openPostgresServer(postgresUrl);
    try {
      return await playPairs(
        { ours: await bundleSide(thisCheckout), theirs: await bundleSide(theirs) },
        server.url,
        options,
      );
    } finally {
      await server.remove();
    }
  } finally {
    theirs.remove();
  }
}

type SideName = "ours" | "theirs";
type Programs = Readonly<Record<SideName, string>>;
type Sides = Readonly<Record<SideName, ChildProcess>>;
type SamplesOfSides = Readonly<Record<SideName, number[]>>;

async function playPairs(
  programs: Programs,
  url: string,
  options: AgainstOptions,
): Promise<ReadonlyMap<string, AgainstFigures>> {
  const samples = new Map<string, SamplesOfSides>();
  const pairs = PAIRS[options.sizeName];
  for (let pair = 1; pair <= pairs; pair += 1) {
    options.say(`pair ${pair} of ${pairs}`);
    const sides = await startSides(programs, url, pair);
    await playRounds(sides, samples, options);
    await Promise.all([stop(sides.ours), stop(sides.theirs)]);
  }
  return new Map([...samples].map(([metric, of]) => [metric, toFigures(of)]));
}

/** Which one starts first changes with each pair. */
async function startSides(programs: Programs, url: string, pair: number): Promise<Sides> {
  const start = (name: SideName): Promise<ChildProcess> => startSide(programs[name], [url]);
  if (pair % 2 === 1) return { theirs: await start("theirs"), ours: await start("ours") };
  return { ours: await start("ours"), theirs: await start("theirs") };
}

async function playRounds(
  sides: Sides,
  samples: Map<string, SamplesOfSides>,
  { sizeName, only }: AgainstOptions,
): Promise<void> {
  const size = toSize(sizeName);
  const workloads = only.length === 0 ? COMPARED : only;
  for (let round = 1 - WARM_UP_ROUNDS[sizeName]; round <= size.rounds; round += 1) {
    const order: readonly SideName[] = round % 2 === 0 ? ["ours", "theirs"] : ["theirs", "ours"];
    for (const workload of workloads) {
      for (const name of order) {
        const measured = (await ask(sides[name], { workload, size })) as Samples;
        if (round >= 1) keep(samples, name, measured);
      }
    }
  }
}

function toSize(name: SizeName): Size {
  const { oneAtATime, fans, ...size } = SIZES[name];
  return {
    ...size,
    rounds: ROUNDS[name],
    oneAtATime: Math.min(20, oneAtATime),
    fans: Math.min(10, fans),
  };
}

function keep(samples: Map<string, SamplesOfSides>, side: SideName, measured: Samples): void {
  for (const [metric, values] of Object.entries(measured)) {
    const kept = samples.get(metric) ?? { ours: [], theirs: [] };
    kept[side].push(median(values));
    samples.set(metric, kept);
  }
}

function toFigures(samples: SamplesOfSides): AgainstFigures {
  const figures = { ours: median(samples.ours), theirs: median(samples.theirs) };
  return { ...figures, ratio: figures.ours / figures.theirs };
}
