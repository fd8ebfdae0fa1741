/** The contract on the smallest possible platform: invocations in this process, wakes in a list. */
import { createDeferrals, createWakeArm, drive } from "@escapement/engine/adapter";
import { createEngine, type Platform, WorkflowError } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "./app.ts";
import {
  type AdapterFixture,
  type AdapterWake,
  describeAdapterContract,
  type FixtureOptions,
} from "./index.ts";

const MAX_WAKE_MS = 15 * 60_000;

describeAdapterContract({
  name: "a list of wakes",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: { maxWakeMs: MAX_WAKE_MS, earlyMs: 0 },
    faults: true,
    clockSkew: true,
    unknownEvents: "an invocation of the list carries nothing",
  },
  open: async (options) => openFixture(options),
});

function openFixture(options: FixtureOptions): AdapterFixture {
  const wakes: AdapterWake[] = [];
  const { defer, settled } = createDeferrals();
  const faults = createFaults(options.database);
  const { logger } = faults;
  const now = createClock(options.clockOffMs);
  const arm = createWakeArm({
    maxWakeMs: MAX_WAKE_MS,
    arm: async (delayMs) => ask(Date.now() + delayMs, 0),
    now,
  });
  const platform: Platform = {
    defer,
    wakeNow: async ({ hopCount = 0 }) => ask(null, hopCount),
    wakeIn: (delayMs) => arm.wakeIn(delayMs),
    deadline: () => null,
  };
  const engine = withProbes(
    createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store: faults.wrapStore(createMemoryStore()),
      platform,
      logger,
      host: { now },
      http: { ...CONTRACT_ACCESS, ...(options.hasTickSecrets ? { tick: CONTRACT_TICK, now } : {}) },
    }),
    faults,
  );
  const invoke = async (hopCount: number, remainingMs = 900_000): Promise<void> => {
    const deadline = now() + remainingMs;
    try {
      await drive(engine, { ...platform, deadline: () => deadline }, { hopCount, logger });
    } catch (error) {
      const code = WorkflowError.is(error) ? error.code : null;
      logger.log("error", "invocation.failed", { code, error: String(error) });
      throw error;
    } finally {
      await settled();
    }
  };
  const ask = (at: number | null, hopCount: number): void => {
    if (options.losesWakes) return;
    const deliver: AdapterWake["deliver"] = ({ remainingMs } = {}) => {
      if (at !== null) arm.fired();
      return invoke(hopCount, remainingMs);
    };
    wakes.push({ at, deliver });
  };
  return {
    call: async ({ method, path, headers, body }) => {
      const request = new Request(`http://contract.test${path}`, { method, headers, body });
      const answer = await engine.fetch(request);
      await settled();
      return answer;
    },
    safetyTick: () => invoke(0),
    takeWakes: () => wakes.splice(0),
    teardown: async () => undefined,
  };
}
