/** Processes that stay: a timer in the process. */
import { createBunPlatform } from "@escapement/bun";
import { createEngine } from "@escapement/engine";
import { createNodePlatform } from "@escapement/node";
import { eachMinute, QUIET, type WakePath } from "../wake-path.ts";

export const NODE: WakePath = {
  name: "node",
  says: "Node: timer in the process",
  model: null,
  open: ({ store, workflows }) => {
    const platform = createNodePlatform();
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    platform.start();
    return engine.fetch;
  },
};

export const BUN: WakePath = {
  name: "bun",
  says: "Bun: timer in the process; Bun.cron under it",
  model: "Bun.cron on the minute",
  open: ({ store, time, workflows }) => {
    const cron = (_expression: string, run: () => Promise<void>): object => {
      eachMinute(
        time,
        () => 0,
        () => void run(),
      );
      return { stop: () => undefined };
    };
    Object.assign(globalThis, { Bun: { cron } });
    const platform = createBunPlatform({ logger: QUIET });
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    platform.start();
    return engine.fetch;
  },
};
