/**
 * What an iteration of `step.loop` costs, by how many the loop has behind it. The loops are brought to their positions first, and
 * then go on in turns, so that what else the machine does and what the compiler has learned meet all of them alike.
 */
import { median } from "../rounds.ts";
import { type LongLoop, startLongLoop } from "./long-loop.ts";
import { openTimedStore, type TimedStore, type TimedStoreName } from "./timed-stores.ts";

/** Of a loop that has so many iterations behind it. */
export interface LoopFigures {
  readonly fromIteration: number;
  /** Processor time of one iteration, the database's with it. */
  readonly iterationMs: number;
  /** That, divided by that of the first position. */
  readonly ratio: number;
  /** Read by one claim. */
  readonly rows: number;
  readonly bytes: number;
}

/** How much is measured. */
export interface LoopSize {
  readonly positions: readonly number[];
  readonly windows: number;
}

interface MeasureOptions {
  readonly store: TimedStoreName;
  readonly size: LoopSize;
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

/** Iterations: a multiple of `commitEvery`, between which what a claim reads goes up and down. */
const WINDOW = 100;

interface Runner {
  readonly store: TimedStore;
  readonly loop: LongLoop;
  readonly position: number;
  readonly samplesMs: number[];
}

export async function measureLoop(options: MeasureOptions): Promise<readonly LoopFigures[]> {
  const { store: name, size, postgresUrl, say } = options;
  const runners: Runner[] = [];
  try {
    for (const position of size.positions) {
      const store = await openTimedStore(name, postgresUrl);
      const loop = await startLongLoop(store);
      runners.push({ store, loop, position, samplesMs: [] });
      await loop.goOn(position);
      loop.claims.length = 0;
      say(`${name}: a loop is at iteration ${position}`);
    }
    for (let window = 0; window < size.windows; window += 1)
      for (const runner of window % 2 === 0 ? runners : runners.toReversed())
        await playWindow(runner);
    const first = median(runners[0]?.samplesMs ?? []);
    return runners.map((runner) => toFigures(runner, first));
  } finally {
    for (const { store } of runners) await store.remove();
  }
}

async function playWindow({ store, loop, samplesMs }: Runner): Promise<void> {
  const beforeMs = store.processorMs();
  await loop.goOn(WINDOW);
  samplesMs.push((store.processorMs() - beforeMs) / WINDOW);
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const toFigures = ({ loop: { claims }, position, samplesMs }: Runner, firstMs: number) => ({
  fromIteration: position,
  iterationMs: median(samplesMs),
  ratio: median(samplesMs) / firstMs,
  rows: average(claims.map(({ rows }) => rows)),
  bytes: average(claims.map(({ bytes }) => bytes)),
});
