import { createHarness } from "@escapement/engine/testing";
import { expect, test } from "vitest";
import { signup } from "./workflow.ts";

test("a confirmed signup becomes active", async () => {
  const harness = createHarness({ workflows: { SIGNUP: signup } });
  const instance = await harness.workflows.SIGNUP.create({ params: { email: "ada@example.com" } });
  await harness.runUntilIdle();
  // Only this moves time.
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "waiting" });
  await instance.sendEvent({ type: "confirmed", payload: { at: "today" } });
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({
    status: "complete",
    output: { state: "active", confirmedAt: "today", welcome: "sent", crm: "told" },
  });
});

test("a signup that nobody confirms expires after seven days", async () => {
  const harness = createHarness({ workflows: { SIGNUP: signup } });
  const instance = await harness.workflows.SIGNUP.create({ params: { email: "ada@example.com" } });
  await harness.runThroughTime();
  expect(await instance.status()).toMatchObject({ output: { state: "expired" } });
});
