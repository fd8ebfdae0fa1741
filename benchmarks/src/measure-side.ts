/**
 * Measures one store in a process of its own, bundled as a user's application is. Its message is what to measure; its answer, the
 * figures by metric.
 */
import { measureStore, openStage } from "./measure-store.ts";
import type { StoreName } from "./metrics.ts";
import type { Figures } from "./rounds.ts";
import { type SizeName, SIZES } from "./sizes.ts";
import { WORKLOADS } from "./workloads/workloads.ts";

export interface MeasureTask {
  readonly store: StoreName;
  readonly sizeName: SizeName;
  /** Workloads by id; empty: all. */
  readonly only: readonly string[];
  /** A running server; null where the store needs none. */
  readonly postgresUrl: string | null;
}

export type MeasureAnswer = readonly (readonly [metric: string, figures: Figures])[];

process.on("message", (task: MeasureTask | null) => {
  if (task === null) process.disconnect();
  else void answer(task);
});
process.send?.("ready");

async function answer({ store, sizeName, only, postgresUrl }: MeasureTask): Promise<void> {
  const figures = await measureStore(await openStage(store, postgresUrl), {
    size: SIZES[sizeName],
    workloads: WORKLOADS.filter(({ id }) => only.length === 0 || only.includes(id)),
    onProgress: (message) => void process.stderr.write(`bench: ${store}: ${message}\n`),
  });
  process.send?.([...figures] satisfies MeasureAnswer);
}
