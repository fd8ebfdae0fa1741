/** How long lists, filters and counts take over a million instances, in how many trips, and by which plans. */
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { StoreName } from "../metrics.ts";
import type { Stage } from "../stores/stage.ts";
import { fillInstances, WORKFLOW_NAMES } from "./fill.ts";
import { LOOKS, type Look } from "./looks.ts";
import { readsWholeTable } from "./whole-table.ts";

/** A look, in milliseconds. */
export interface LookFigures {
  readonly store: StoreName;
  readonly name: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
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
    const plain = stage.openDatabase(4);
    await migrate(plain);
    await fillInstances(plain, instances, say);
    const watched = watch(plain);
    const { statements } = watched;
    const engine = createEngine({
      workflows: Object.fromEntries(
        WORKFLOW_NAMES.map((name) => [name, defineWorkflow({ name }, async () => null)]),
      ),
      store: createSqlStore({ database: watched.database }),
    });
    const figures: LookFigures[] = [];
    for (const look of LOOKS) {
      statements.clear();
      const before = watched.trips();
      const times = await timeLook(engine, look, samples);
      const trips = (watched.trips() - before) / (times.length + WARM_UP);
      const plans = await Promise.all(
        [...statements.values()].map((statement) => readsWholeTable(plain, statement)),
      );
      const figure = { store, name: look.name, ...toPercentiles(times), trips };
      figures.push({ ...figure, readsWholeTable: plans.includes(true) });
      say(`${look.name}: p95 ${figure.p95Ms.toFixed(1)} ms`);
    }
    await engine.close();
    return figures;
  } finally {
    await stage.remove();
  }
}

const WARM_UP = 10;

/** Page after page, and from the beginning again behind the last one; the first ones are not counted. */
async function timeLook(
  engine: Parameters<Look["ask"]>[0],
  look: Look,
  samples: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  let cursor: string | undefined;
  for (let sample = 0; sample < samples + WARM_UP; sample += 1) {
    const startedAt = performance.now();
    cursor = await look.ask(engine, cursor);
    times.push(performance.now() - startedAt);
  }
  return times.slice(WARM_UP);
}

function toPercentiles(times: readonly number[]): Pick<LookFigures, "p50Ms" | "p95Ms" | "maxMs"> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

/** A database whose batches are counted, and whose statements are kept, by their texts. */
function watch(database: Database): {
  readonly database: Database;
  readonly statements: Map<string, Statement>;
  trips(): number;
} {
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
