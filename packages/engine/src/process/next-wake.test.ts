import { expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const nap = defineWorkflow({ name: "nap" }, async (_event, step) => {
  await step.sleep("nap", "1 minute");
});

test("an engine says how far off the next work is, and whether it is a run or the end of a lease; asking takes nothing", async () => {
  let now = 1_000_000;
  const store = createMemoryStore({ now: () => now });
  const open = () => createEngine({ workflows: { nap }, store, leaseMs: 8000 });
  const engine = open();
  expect(await engine.nextWake()).toBeNull();
  await engine.workflows.nap.create({ id: "n" });
  expect(await engine.nextWake()).toEqual({ inMs: 0, reason: "due" });
  const request = { token: "elsewhere", leaseMs: 8000, limit: 1, workflowNames: ["nap"] };
  const [run] = (await store.claim(request)).runs;
  expect(run?.run.instanceId).toBe("n");
  expect(await engine.nextWake()).toEqual({ inMs: 8000, reason: "lease" });
  now += 8001;
  expect(await engine.nextWake()).toMatchObject({ inMs: 0 });
  const { processed, nextWakeInMs } = await engine.tick();
  expect(processed).toBe(1);
  expect(Math.abs((nextWakeInMs ?? 0) - 60_000)).toBeLessThan(5000);
  now += 20_000;
  expect(await open().nextWake()).toEqual({ inMs: 40_000, reason: "due" });
});
