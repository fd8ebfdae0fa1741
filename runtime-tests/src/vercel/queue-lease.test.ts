/** A wake whose tick outlasts the message's lease, through a stand-in for Queues that delivers again when a lease ends. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createVercelPlatform, vercelQueue, wakeHandler } from "@escapement/vercel";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  findQueueFault,
  invoke,
  type Service,
  startService,
  toDelivery,
  USUAL_MS,
} from "./contract-fixture.ts";

const LEASE_MS = 3000;
const STEP_MS = 4000;
const TURN_MS = 10;
const WAKE = JSON.stringify({ kind: "tick", hopCount: 0, at: null });

let service: Service;
beforeEach(async () => {
  service = await startService(findQueueFault);
});
afterEach(() => service.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * Delivers until the message is acknowledged, again whenever its lease has ended. A lease lasts for turns of this process, which is
 * also the one that has to extend it: what holds up both takes nothing from it. @returns how often
 */
async function deliverAll(deliver: () => Promise<Response>): Promise<number> {
  let leftMs = 0;
  let count = 0;
  service.onExtended = (leaseSeconds) => {
    leftMs = leaseSeconds * 1000;
  };
  const deliveries: Promise<Response>[] = [];
  while (service.acknowledged.length === 0) {
    if (leftMs <= 0) {
      leftMs = LEASE_MS;
      count += 1;
      deliveries.push(deliver());
    }
    await sleep(TURN_MS);
    leftMs -= TURN_MS;
  }
  await Promise.all(deliveries);
  return count;
}

test("a tick that takes longer than its message's lease has it delivered once", async () => {
  const long = defineWorkflow({ name: "long" }, async (_event, step) =>
    step.do("work", () => sleep(STEP_MS)),
  );
  const platform = createVercelPlatform({ queue: vercelQueue({ baseUrl: service.url }) });
  const store = createMemoryStore();
  // Another process has created it: this one only takes wakes.
  await createEngine({ workflows: { long }, store }).workflows.long.create({ id: "i" });
  const engine = createEngine({ workflows: { long }, store, platform });
  const takeWake = wakeHandler(engine, { platform });
  const deliver = (): Promise<Response> =>
    invoke(takeWake, toDelivery(WAKE, undefined, LEASE_MS), Date.now() + USUAL_MS);
  expect(await deliverAll(deliver)).toBe(1);
  expect(await engine.getInstance("long", "i")).toMatchObject({ details: { status: "complete" } });
  expect(service.faults).toEqual([]);
});
