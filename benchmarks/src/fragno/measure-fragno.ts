/** Measures both sides in turn, call by call, without and with a distance to the database. */
import { startPostgresProxy } from "@escapement-internal/test-servers";
import pg from "pg";
import { median } from "../rounds.ts";
import type { SizeName } from "../sizes.ts";
import { type BenchServer, openPostgresServer } from "../stores/postgres-server.ts";
import { type OpenAdapter, openOurAdapter, openStockAdapter } from "./adapters.ts";
import { type FragnoSide, type FragnoWork, openSide } from "./side.ts";

/** In the order in which they are measured; what they do is in `openSide`. */
export const FRAGNO_WORKS: readonly FragnoWork[] = [
  "create",
  "composed",
  "hooked",
  "read",
  "three",
];

/** How much later each answer of the delayed database comes. */
export const DELAY_MS = 5;

/** Calls of each work on each side that are timed, after a tenth as many (at least two) that are not. */
const SAMPLES: Readonly<Record<SizeName, number>> = { tiny: 2, quick: 100, full: 500 };

/** Medians of both sides. */
export interface SideFigures {
  readonly ours: number;
  readonly stock: number;
  /** ours / stock */
  readonly ratio: number;
}

/** What was measured of a work: without a distance to the database, with one, and what went over the wire. */
export type FragnoMetric = "localMs" | "delayedMs" | "trips";

export type FragnoFigures = ReadonlyMap<FragnoWork, Readonly<Record<FragnoMetric, SideFigures>>>;

export interface FragnoOptions {
  readonly sizeName: SizeName;
  /** null: a private server */
  readonly postgresUrl: string | null;
  readonly onProgress: (message: string) => void;
}

/** Trips are counted by the proxy that delays; the local database is reached without one, as a proxy costs per trip. */
export async function measureFragno(options: FragnoOptions): Promise<FragnoFigures> {
  const server = await openPostgresServer(options.postgresUrl);
  try {
    const local = await measurePlace("local", server, options);
    const delayed = await measurePlace("delayed", server, options);
    return new Map(
      FRAGNO_WORKS.map((work) => [work, toMetrics(local.get(work), delayed.get(work))] as const),
    );
  } finally {
    await server.remove();
  }
}

/** A side, and the trips on its wire; none are seen where there is no proxy. */
interface WiredSide extends FragnoSide {
  readTrips(): number;
}

type Sides = Readonly<Record<"ours" | "stock", WiredSide>>;
type Samples = Readonly<Record<keyof Sides, { readonly ms: number[]; readonly trips: number[] }>>;

async function measurePlace(
  place: "local" | "delayed",
  server: BenchServer,
  { sizeName, onProgress }: FragnoOptions,
): Promise<ReadonlyMap<FragnoWork, Samples>> {
  const openWired = place === "local" ? openNear : openFar;
  const sides: Sides = {
    ours: await openWired(await server.createDatabase(), openOurAdapter),
    stock: await openWired(await server.createDatabase(), openStockAdapter),
  };
  try {
    const samples = new Map<FragnoWork, Samples>();
    for (const work of FRAGNO_WORKS) {
      onProgress(`fragno, ${place}: ${work}`);
      samples.set(work, await sampleWork(sides, work, SAMPLES[sizeName]));
    }
    return samples;
  } finally {
    await Promise.all([sides.ours.close(), sides.stock.close()]);
  }
}

type OpenWired = (url: string, open: (url: string) => OpenAdapter) => Promise<WiredSide>;

const openNear: OpenWired = async (url, open) => ({
  ...(await openSide(open(url), await connectAdmin(url))),
  readTrips: () => 0,
});

const openFar: OpenWired = async (url, open) => {
  const proxy = await startPostgresProxy(url, { delayMs: DELAY_MS });
  const side = await openSide(open(proxy.url), await connectAdmin(url));
  return {
    ...side,
    readTrips: () => proxy.stats().trips,
    async close() {
      await side.close();
      await proxy.stop();
    },
  };
};

async function connectAdmin(url: string): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  return admin;
}

async function sampleWork(sides: Sides, work: FragnoWork, count: number): Promise<Samples> {
  const samples: Samples = { ours: { ms: [], trips: [] }, stock: { ms: [], trips: [] } };
  for (const side of [sides.ours, sides.stock]) {
    await side.prepare(work);
    for (let index = 0; index < Math.max(2, count / 10); index += 1) await side.run[work]();
  }
  for (let index = 0; index < count; index += 1) {
    const inTurn = index % 2 === 0 ? (["ours", "stock"] as const) : (["stock", "ours"] as const);
    for (const name of inTurn) {
      const tripsBefore = sides[name].readTrips();
      const startedAtMs = performance.now();
      await sides[name].run[work]();
      samples[name].ms.push(performance.now() - startedAtMs);
      samples[name].trips.push(sides[name].readTrips() - tripsBefore);
    }
  }
  return samples;
}

function toMetrics(
  near: Samples | undefined,
  far: Samples | undefined,
): Readonly<Record<FragnoMetric, SideFigures>> {
  return {
    localMs: toFigures(near, "ms"),
    delayedMs: toFigures(far, "ms"),
    trips: toFigures(far, "trips"),
  };
}

function toFigures(samples: Samples | undefined, of: "ms" | "trips"): SideFigures {
  const [ours, stock] = [median(samples?.ours[of] ?? []), median(samples?.stock[of] ?? [])];
  return { ours, stock, ratio: ours / stock };
}
