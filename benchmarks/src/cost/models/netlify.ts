/** Netlify: a function for requests, a schedule that asks each minute, and the background function that works. */
import { createEngine, type Engine } from "@escapement/engine";
import {
  backgroundHandler,
  createNetlifyPlatform,
  handler,
  type NetlifyFunction,
  type NetlifyPlatform,
  scheduleHandler,
} from "@escapement/netlify";
import { eachMinute, serveFetch, SIGNING_KEYS } from "../../lateness/wake-path.ts";
import { createSandboxes } from "../sandboxes.ts";
import { type CostModel, DELIVERY_MS, type Scene, TRIP_MS, waitFor } from "../scene.ts";

const SITE = "https://app.netlify.app";
const LATE_SCHEDULE_MS = 5000;

export const NETLIFY: CostModel = {
  says: "Netlify",
  assumes: [
    "1,024 MB a function (netlify/context-and-tools, copy of 2026-08-12), and the adapter's defaults: the schedule looks ahead.",
    "A sandbox runs one invocation at a time and has its own engine. An idle one ends after 10 minutes (assumed). Starts take no time.",
    "A call of the background function is answered at once, and the function begins 0–0.2 s later. The schedule runs 0–5 s into its minute (assumed).",
    "Each invocation counts as a request, even when the site calls itself (assumed, because no document says otherwise).",
  ],
  open: (scene) => {
    const { time, random } = scene;
    const http = createFunction(scene, "http", (engine, platform) => handler(engine, { platform }));
    const cron = createFunction(
      scene,
      "schedule",
      (engine, platform) => scheduleHandler(engine, { platform, logger: scene.logger }),
      "newest",
    );
    // What calls the site reaches the published deploy, and so do schedules.
    const work = createFunction(
      scene,
      "background",
      (engine, platform) => backgroundHandler(engine, { platform, logger: scene.logger }),
      "newest",
    );
    serveFetch(async (request) => {
      await waitFor(TRIP_MS);
      scene.meter.count("messages");
      scene.wakes?.asked(null);
      const first = time.now() + random(DELIVERY_MS);
      for (const afterMs of [0, ...(scene.wakes?.copiesAfterMs() ?? [])]) {
        const call = request.clone();
        time.at(first + afterMs, () => void work(call).catch(scene.lost));
      }
      return new Response(null, { status: 202 });
    });
    const ask = (): void => void cron(new Request(`${SITE}/schedule`)).catch(scene.lost);
    eachMinute(time, () => random(LATE_SCHEDULE_MS), ask);
    return async (request) => (await http(request)).status;
  },
};

type ToFunction = (engine: Engine, platform: NetlifyPlatform) => NetlifyFunction;

function createFunction(
  scene: Scene,
  name: string,
  toFunction: ToFunction,
  of?: "newest",
): (request: Request) => Promise<Response> {
  const { store, logger } = scene;
  const sandboxes = createSandboxes(scene, name, () => {
    const platform = createNetlifyPlatform({ signingKeys: SIGNING_KEYS, siteUrl: SITE });
    const http = { open: true } as const;
    const { workflows } = scene;
    const engine = createEngine({ workflows, store, platform, logger, http });
    return toFunction(engine, platform);
  });
  return (request) =>
    sandboxes.run(async (run) => {
      const kept: Promise<unknown>[] = [];
      const waitUntil = (promise: Promise<unknown>): void => void kept.push(promise);
      const deploy = { context: scene.isPreview === true ? "branch-deploy" : "production" };
      const response = await run(request, { waitUntil, deploy });
      await Promise.allSettled(kept);
      return response;
    }, of);
}
