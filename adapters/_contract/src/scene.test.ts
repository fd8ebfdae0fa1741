/** The contract's own deliveries: wakes that one test does not await are still there for the next. */
import { expect, test } from "vitest";
import { createScene } from "./scene.ts";
import type { AdapterWake } from "./subject.ts";

test("a wake that is not due when a test has seen enough is delivered to the next: its platform counts on it", async () => {
  let isDelivered = false;
  const at = Date.now() + 30;
  const wake: AdapterWake = { at, deliver: async () => void (isDelivered = true) };
  const asked = [wake];
  const scene = createScene({
    call: async () => Response.json({}),
    safetyTick: async () => undefined,
    takeWakes: () => asked.splice(0),
    teardown: async () => undefined,
  });
  await scene.drive(async () => ({ isSeen: true }), { isSeen: true });
  await scene.drive(async () => ({ isDelivered }), { isDelivered: true });
  expect(Date.now()).toBeGreaterThanOrEqual(at);
});
