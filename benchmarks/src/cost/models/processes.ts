/** Node and Bun on a machine of yours: one process that stays, and a database beside it. */
import { scheduler as bunScheduler } from "@escapement/bun";
import { createEngine, type Engine } from "@escapement/engine";
import { scheduler as nodeScheduler } from "@escapement/node";
import { eachMinute, QUIET } from "../../lateness/wake-path.ts";
import type { CostModel, Scene } from "../scene.ts";

const PROCESS =
  "One process on a machine that is paid by the month; its loop looks each 5 s at least.";

export const NODE: CostModel = {
  says: "Node on a machine",
  assumes: [PROCESS],
  open: (scene) => openProcess(scene, (engine) => void nodeScheduler(engine)),
};

export const BUN: CostModel = {
  says: "Bun on a machine",
  assumes: [`${PROCESS} Bun.cron fires on the minute.`],
  open: (scene) => {
    const cron = (_expression: string, run: () => Promise<void>): object => {
      eachMinute(
        scene.time,
        () => 0,
        () => void run(),
      );
      return { stop: () => undefined };
    };
    Object.assign(globalThis, { Bun: { cron } });
    return openProcess(scene, (engine) => void bunScheduler(engine, { logger: QUIET }));
  },
};

function openProcess({ store, workflows, meter }: Scene, start: (engine: Engine) => void) {
  const engine = createEngine({ workflows, store, logger: QUIET, http: { open: true } });
  start(engine);
  return async (request: Request): Promise<number> => {
    meter.count("http.invocations");
    const { status } = await engine.fetch(request);
    return status;
  };
}
