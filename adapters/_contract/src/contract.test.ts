/** The contract on the smallest platform there is: invocations in this process, wakes in a list. */
import { createDeferrals, createWakeArm, drive } from "@escapement/engine/drive";
import { createEngine, type Platform } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { CONTRACT_TICK, CONTRACT_WORKFLOWS, withProbes } from "./app.ts";
import { type AdapterFixture, type AdapterWake, describeAdapterContract } from "./index.ts";

const MAX_WAKE_MS = 15 * 60_000;

describeAdapterContract({
  name: "a list of wakes",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: { maxWakeMs: MAX_WAKE_MS, earlyMs: 0 },
  },
  open: async ({ hasTickSecrets, losesWakes }) => openFixture(hasTickSecrets, losesWakes),
});

function openFixture(hasTickSecrets: boolean, losesWakes: boolean): AdapterFixture {
  const wakes: AdapterWake[] = [];
  const { defer, settled } = createDeferrals();
  const arm = createWakeArm({ maxWakeMs: MAX_WAKE_MS, arm: async (at) => ask(at, 0) });
  const platform: Platform = {
    defer,
    wakeNow: async ({ hopCount = 0 }) => ask(null, hopCount),
    wakeAt: arm.wakeAt,
    deadline: () => null,
  };
  const engine = withProbes(
    createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store: createMemoryStore(),
      platform,
      logger: { log: () => undefined },
      http: hasTickSecrets ? { tick: CONTRACT_TICK } : {},
    }),
  );
  const invoke = async (hopCount: number, remainingMs = 900_000): Promise<void> => {
    const deadline = Date.now() + remainingMs;
    await drive(engine, { ...platform, deadline: () => deadline }, { hopCount });
    await settled();
  };
  const ask = (at: number | null, hopCount: number): void => {
    if (losesWakes) return;
    const deliver: AdapterWake["deliver"] = ({ remainingMs } = {}) => {
      if (at !== null) arm.rang();
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
