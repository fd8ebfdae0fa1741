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
const WAKE = JSON.stringify({ kind: "tick", hopCount: 0, at: null });

let service: Service;
beforeEach(async () => {
  service = await startService(findQueueFault);
});
afterEach(() => service.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Delivers until the message is acknowledged, again whenever its lease has ended. @returns how often */
async function deliverAll(deliver: () => Promise<Response>): Promise<number> {
  let leaseEndsAt = 0;
  let count = 0;
  service.onExtended = (leaseSeconds) => {
    leaseEndsAt = Date.now() + leaseSeconds * 1000;
  };
  const deliveries: Promise<Response>[] = [];
  while (service.acknowledged.length === 0) {
    if (Date.now() >= leaseEndsAt) {
      leaseEndsAt = Date.now() + LEASE_MS;
      count += 1;
      deliveries.push(deliver());
    }
    await sleep(10);
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
