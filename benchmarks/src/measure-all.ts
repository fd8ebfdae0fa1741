/** Our engine beside the floor on each store, in a process whose code is bundled: a loader's helpers would count for every function. */
import { bundleSide, thisCheckout } from "./against/checkout.ts";
import { ask, startSide, stop } from "./against/sides.ts";
import type { Arguments } from "./arguments.ts";
import type { MeasureAnswer, MeasureTask } from "./measure-side.ts";
import type { StoreName } from "./metrics.ts";
import type { Figures } from "./rounds.ts";
import { openPostgresServer } from "./stores/postgres-server.ts";

type Asked = Pick<Arguments, "stores" | "sizeName" | "only" | "postgresUrl">;

/** @returns figures by metric, by store */
export async function measureAll(
  args: Asked,
): Promise<ReadonlyMap<StoreName, ReadonlyMap<string, Figures>>> {
  const program = await bundleSide(thisCheckout, "benchmarks/src/measure-side.ts");
  const results = new Map<StoreName, ReadonlyMap<string, Figures>>();
  for (const store of args.stores) results.set(store, await measureOne(program, store, args));
  return results;
}

async function measureOne(
  program: string,
  store: StoreName,
  { sizeName, only, postgresUrl }: Asked,
): Promise<ReadonlyMap<string, Figures>> {
  const server = store === "postgres" ? await openPostgresServer(postgresUrl) : null;
  try {
    const side = await startSide(program, []);
    const url = server?.url ?? null;
    const task: MeasureTask = { store, sizeName, only, postgresUrl: url };
    const figures = (await ask(side, task)) as MeasureAnswer;
    await stop(side);
    return new Map(figures);
  } finally {
    await server?.remove();
  }
}
