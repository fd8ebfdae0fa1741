/** Node and Bun on a machine of yours: one process that stays, and a database beside it. */
import type { LoopPlatform } from "@escapement/engine/adapter";
import { createBunPlatform } from "@escapement/bun";
import { createEngine } from "@escapement/engine";
import { createNodePlatform } from "@escapement/node";
import { eachMinute, QUIET } from "../../lateness/wake-path.ts";
import type { CostModel, Scene } from "../scene.ts";

const PROCESS =
  "One process on a machine that is paid monthly. Its loop asks the database at least every 5 s.";

export const NODE: CostModel = {
  says: "Node on a machine",
  assumes: [PROCESS],
  open: (scene) => openProcess(scene, createNodePlatform()),
};

export const BUN: CostModel = {
  says: "Bun on a machine",
  assumes: [`${PROCESS} Bun.cron runs on the minute.`],
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
    return openProcess(scene, createBunPlatform({ logger: QUIET }));
  },
};

function openProcess({ store, workflows, meter }: Scene, platform: LoopPlatform) {
  const engine = createEngine({ workflows, store, platform, logger: QUIET, http: { open: true } });
  platform.start();
  return async (request: Request): Promise<number> => {
    meter.count("http.invocations");
    const { status } = await engine.fetch(request);
    return status;
  };
}
