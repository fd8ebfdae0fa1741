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
/** Many short rounds rather than few long ones: what else the machine does then meets both alike. */
const ROUNDS: Readonly<Record<SizeName, number>> = { tiny: 1, quick: 30, full: 60 };
/** Rounds that are not counted: connections, statements and compiled code are new in them. */
const WARM_UP_ROUNDS = 3;

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
      const url = server.url;
      const ours = await startSide(await bundleSide(thisCheckout), [url]);
      return await playSides(
        { ours, theirs: await startSide(await bundleSide(theirs), [url]) },
        options,
      );
    } finally {
      await server.remove();
    }
  } finally {
    theirs.remove();
  }
}

type PlayOptions = Pick<AgainstOptions, "sizeName" | "only" | "say">;

async function playSides(
  sides: Sides,
  options: PlayOptions,
): Promise<ReadonlyMap<string, AgainstFigures>> {
  const figures = await playRounds(sides, options);
  await Promise.all([stop(sides.ours), stop(sides.theirs)]);
  return figures;
}

type SideName = "ours" | "theirs";
type Sides = Readonly<Record<SideName, ChildProcess>>;

async function playRounds(
  sides: Sides,
  { sizeName, only, say }: PlayOptions,
): Promise<ReadonlyMap<string, AgainstFigures>> {
  const size = toSize(sizeName);
  const workloads = only.length === 0 ? COMPARED : only;
  const samples = new Map<string, Record<SideName, number[]>>();
  for (let round = 1 - WARM_UP_ROUNDS; round <= size.rounds; round += 1) {
    say(round < 1 ? "warming up" : `round ${round} of ${size.rounds}`);
    const order: readonly SideName[] = round % 2 === 0 ? ["ours", "theirs"] : ["theirs", "ours"];
    for (const workload of workloads) {
      for (const name of order) {
        const measured = (await ask(sides[name], { workload, size })) as Samples;
        if (round >= 1) keep(samples, name, measured);
      }
    }
  }
  return new Map([...samples].map(([metric, of]) => [metric, toFigures(of)]));
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

function keep(
  samples: Map<string, Record<SideName, number[]>>,
  side: SideName,
  measured: Samples,
): void {
  for (const [metric, values] of Object.entries(measured)) {
    const kept = samples.get(metric) ?? { ours: [], theirs: [] };
    kept[side].push(median(values));
    samples.set(metric, kept);
  }
}

function toFigures(samples: Record<SideName, number[]>): AgainstFigures {
  const figures = { ours: median(samples.ours), theirs: median(samples.theirs) };
  return { ...figures, ratio: figures.ours / figures.theirs };
}
