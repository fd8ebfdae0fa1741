/** Measures one store: opens both contenders, runs the rounds, cleans up. */
import type { StoreName } from "./metrics.ts";
import { Milestones } from "./milestones.ts";
import { createOurs } from "./ours.ts";
import { type Figures, type RoundsOptions, runRounds } from "./rounds.ts";
import { openEmbedded } from "./stores/embedded.ts";
import { openPostgres } from "./stores/postgres.ts";
import type { Stage } from "./stores/stage.ts";

/** @param postgresUrl null: a private server */
export const openStage = async (name: StoreName, postgresUrl: string | null): Promise<Stage> =>
  name === "postgres" ? openPostgres(postgresUrl) : openEmbedded();

/** Figures by metric name. The stage is removed afterwards. */
export async function measureStore(
  stage: Stage,
  options: RoundsOptions,
): Promise<ReadonlyMap<string, Figures>> {
  try {
    const milestones = new Milestones();
    const ours = createOurs(stage.openStore(), milestones);
    const floor = await stage.openFloor(milestones);
    try {
      return await runRounds({ ours, floor, milestones }, options);
    } finally {
      await Promise.all([ours.close(), floor.close()]);
    }
  } finally {
    await stage.remove();
  }
}
