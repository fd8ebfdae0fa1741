/** How long lists, filters and counts take over a million instances, in how many trips, and by which plans. */
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { StoreName } from "../metrics.ts";
import type { Stage } from "../stores/stage.ts";
import { createProcessorClock, type ProcessorClock } from "../processor-time.ts";
import { fillInstances, fillWithStuck, WORKFLOW_NAMES } from "./fill.ts";
import { LOOKS, LOOKS_AT_MANY_STUCK, type Look } from "./looks.ts";
import { readsWholeTable } from "./whole-table.ts";

/** A look, in milliseconds. */
export interface LookFigures {
  readonly store: StoreName;
  readonly name: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Median and p95 of the time on a processor, of the server or, where the database is in this process, of it; NaN: nobody knows. */
  readonly processorP50Ms: number;
  readonly processorP95Ms: number;
  /** Of one page. */
  readonly trips: number;
  /** A plan of it reads a whole table. */
  readonly readsWholeTable: boolean;
}

export interface ListsOptions {
  readonly store: StoreName;
  readonly instances: number;
  readonly samples: number;
  readonly say: (message: string) => void;
}

export async function measureLists(
  stage: Stage,
  { store, instances, samples, say }: ListsOptions,
): Promise<readonly LookFigures[]> {
  try {
    // One connection: its server process is the one whose time is taken.
    const plain = stage.openDatabase(1);
    await migrate(plain);
    await fillInstances(plain, instances, say);
    const clock = await createProcessorClock(plain);
    const watched = watch(plain);
    const engine = createEngine({
      workflows: Object.fromEntries(
        WORKFLOW_NAMES.map((name) => [name, defineWorkflow({ name }, async () => null)]),
      ),
      store: createSqlStore({ database: watched.database }),
    });
    const figures: LookFigures[] = [];
    const measureAll = async (looks: readonly Look[]): Promise<void> => {
      for (const look of looks) {
        const figure = await measureLook({ engine, look, samples, plain, watched, clock });
        figures.push({ store, ...figure });
        say(`${look.name}: p95 ${figure.p95Ms.toFixed(1)} ms`);
      }
    };
    await measureAll(LOOKS);
    await fillWithStuck(plain);
    await measureAll(LOOKS_AT_MANY_STUCK);
    await engine.close();
    return figures;
  } finally {
    await stage.remove();
  }
}

interface Measured {
  readonly engine: Parameters<Look["ask"]>[0];
  readonly look: Look;
  readonly samples: number;
  readonly plain: Database;
  readonly watched: Watched;
  readonly clock: ProcessorClock | null;
}

async function measureLook({
  look,
  plain,
  watched,
  ...rest
}: Measured): Promise<Omit<LookFigures, "store">> {
  const { statements } = watched;
  statements.clear();
  const before = watched.trips();
  const { times, processorTimes } = await timeLook({ look, ...rest });
  const trips = (watched.trips() - before) / (times.length + WARM_UP);
  const plans: boolean[] = [];
  for (const statement of statements.values()) plans.push(await readsWholeTable(plain, statement));
  const onProcessor = toPercentiles(processorTimes);
  return {
    name: look.name,
    ...toPercentiles(times),
    processorP50Ms: onProcessor.p50Ms,
    processorP95Ms: onProcessor.p95Ms,
    trips,
    readsWholeTable: plans.includes(true),
  };
}

const WARM_UP = 10;

/** Page after page, and from the beginning again behind the last one; the first ones are not counted. */
async function timeLook({
  engine,
  look,
  samples,
  clock,
}: Pick<Measured, "engine" | "look" | "samples" | "clock">): Promise<{
  readonly times: readonly number[];
  readonly processorTimes: readonly number[];
}> {
  const times: number[] = [];
  const processorTimes: number[] = [];
  const processorMs = clock ?? ((): number => Number.NaN);
  let cursor: string | undefined;
  for (let sample = 0; sample < samples + WARM_UP; sample += 1) {
    const [startedAt, processorAt] = [performance.now(), processorMs()];
    cursor = await look.ask(engine, cursor);
    times.push(performance.now() - startedAt);
    processorTimes.push(processorMs() - processorAt);
  }
  return { times: times.slice(WARM_UP), processorTimes: processorTimes.slice(WARM_UP) };
}

function toPercentiles(times: readonly number[]): Pick<LookFigures, "p50Ms" | "p95Ms" | "maxMs"> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

interface Watched {
  readonly database: Database;
  readonly statements: Map<string, Statement>;
  trips(): number;
}

/** A database whose batches are counted, and whose statements are kept, by their texts. */
function watch(database: Database): Watched {
  let trips = 0;
  const statements = new Map<string, Statement>();
  const watched: Database = {
    dialect: database.dialect,
    isSerial: database.isSerial ?? false,
    close: () => database.close(),
    batch: (given, options) => {
      trips += 1;
      for (const statement of given) statements.set(statement.text, statement);
      return database.batch(given, options);
    },
  };
  return { database: watched, statements, trips: () => trips };
}
