/** The contract's application in three functions of Netlify, behind an edge that answers as Netlify's does. */
import type {
  AdapterCapabilities,
  AdapterFixture,
  AdapterWake,
  FixtureOptions,
} from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import {
  backgroundHandler,
  createNetlifyPlatform,
  handler,
  scheduleHandler,
} from "@escapement/netlify";
import { clockwork, type Invoke, startEdge } from "./netlify-edge.ts";

const SIGNING_KEYS = ["background-key-of-more-than-24-bytes"];

export const NETLIFY_CAPABILITIES: AdapterCapabilities = {
  invocations: true,
  deadlines: true,
  exactWakes: "Netlify wakes nobody at an instant: a schedule asks each minute",
  faults: true,
  clockSkew: true,
  unknownEvents: "functions get requests and nothing else",
};

/** @param invoke how functions are invoked */
export async function openNetlify(
  options: FixtureOptions,
  invoke: Invoke,
): Promise<AdapterFixture> {
  const wakes: AdapterWake[] = [];
  const faults = createFaults(options.database);
  const { logger } = faults;
  const now = createClock(options.clockOffMs);
  // While the schedule runs, what it calls is delivered at once.
  const scheduled: Promise<void>[] = [];
  let scheduleCount = 0;
  const edge = await startEdge((request) => {
    const deliver: AdapterWake["deliver"] = ({ remainingMs = 900_000 } = {}) =>
      work(request, remainingMs);
    if (scheduleCount > 0) scheduled.push(deliver());
    else if (!options.losesWakes) wakes.push({ at: null, deliver });
  });
  const platform = createNetlifyPlatform({ signingKeys: SIGNING_KEYS, siteUrl: edge.url, now });
  const store = faults.wrapStore(createMemoryStore());
  const tick = { ...CONTRACT_TICK, deadline: () => platform.deadline() };
  const engine = withProbes(
    createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store,
      platform,
      logger,
      host: { now },
      http: { ...CONTRACT_ACCESS, ...(options.hasTickSecrets ? { tick, now } : {}) },
    }),
    faults,
  );
  const work = async (request: Request, timeLimitMs: number): Promise<void> => {
    await invoke(backgroundHandler(engine, { platform, logger, timeLimitMs }), request.clone());
  };
  const api = handler(engine, { platform });
  const cron = scheduleHandler(engine, { platform, logger });
  return {
    call: ({ path, ...init }) => invoke(api, new Request(`${edge.url}${path}`, init)),
    safetyTick: async () => {
      scheduleCount += 1;
      await invoke(cron, clockwork(edge.url));
      scheduleCount -= 1;
      await Promise.all(scheduled);
    },
    takeWakes: () => wakes.splice(0),
    teardown: () => edge.stop(),
  };
}
