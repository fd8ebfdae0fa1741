/** Rounds: ours and the floor in turn, workload by workload, so that what else the machine does meets both alike. */
import type { Contender } from "./contender.ts";
import type { Milestones } from "./milestones.ts";
import type { Size } from "./sizes.ts";
import { type Workload, WORKLOADS } from "./workloads/workloads.ts";

export interface Pair {
  readonly ours: Contender;
  readonly floor: Contender;
  readonly milestones: Milestones;
}

export interface Figures {
  /** Medians over all samples of all rounds. */
  readonly ours: number;
  readonly floor: number;
  /** ours / floor */
  readonly ratio: number;
}

export interface RoundsOptions {
  readonly size: Size;
  readonly onProgress: (message: string) => void;
  /** @default all */
  readonly workloads?: readonly Workload[];
}

type Side = "ours" | "floor";
type SideSamples = Record<Side, number[]>;

/** Warms both up, measures, and returns the figures by metric name. */
export async function runRounds(
  pair: Pair,
  { size, onProgress, workloads = WORKLOADS }: RoundsOptions,
): Promise<ReadonlyMap<string, Figures>> {
  const startedAtMs = performance.now();
  onProgress("warming up");
  const inTurn = (round: number): [Side, Side] =>
    round % 2 === 1 ? ["ours", "floor"] : ["floor", "ours"];
  await runRound(pair, {
    size: toWarmUp(size),
    workloads,
    sides: inTurn(1),
    samples: new Map(),
  });
  const samples = new Map<string, SideSamples>();
  for (let round = 1; round <= size.rounds; round += 1) {
    if (round > size.minRounds && performance.now() - startedAtMs > size.budgetMs) break;
    onProgress(`round ${round} of ${size.rounds}`);
    await runRound(pair, { size, workloads, sides: inTurn(round), samples });
  }
  return new Map([...samples].map(([name, sides]) => [name, toFigures(sides)]));
}

/** The work as it will be, but shorter where time is spent waiting. */
const toWarmUp = (size: Size): Size => ({
  ...size,
  oneAtATime: Math.min(30, size.oneAtATime),
  sleeps: 1,
});

interface Round {
  readonly size: Size;
  readonly workloads: readonly Workload[];
  /** Who goes first in each workload. */
  readonly sides: readonly [Side, Side];
  readonly samples: Map<string, SideSamples>;
}

async function runRound(pair: Pair, { size, workloads, sides, samples }: Round): Promise<void> {
  const { milestones } = pair;
  for (const { drive } of workloads) {
    for (const side of sides) {
      const measured = await drive({ contender: pair[side], milestones, size });
      milestones.clear();
      for (const [name, values] of Object.entries(measured)) {
        const kept = samples.get(name) ?? { ours: [], floor: [] };
        kept[side].push(...values);
        samples.set(name, kept);
      }
    }
  }
}

function toFigures({ ours, floor }: SideSamples): Figures {
  const figures = { ours: median(ours), floor: median(floor) };
  return { ...figures, ratio: figures.ours / figures.floor };
}

/** Middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
