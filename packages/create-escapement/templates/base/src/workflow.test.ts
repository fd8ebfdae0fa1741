import { createHarness } from "@escapement/engine/testing";
import { expect, test } from "vitest";
import { signup } from "./workflow.ts";

test("a confirmed signup becomes active", async () => {
  const harness = createHarness({ workflows: { SIGNUP: signup } });
  await harness.workflows.SIGNUP.create({ id: "ada", params: { email: "ada@example.com" } });
  await harness.runUntilIdle();
  // Only this moves time.
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  expect(await harness.status("signup", "ada")).toMatchObject({ status: "waiting" });
  await harness.sendEvent("signup", "ada", { type: "confirmed", payload: { at: "today" } });
  await harness.runUntilIdle();
  expect(await harness.status("signup", "ada")).toMatchObject({
    status: "complete",
    output: { state: "active", confirmedAt: "today", welcome: "sent", crm: "told" },
  });
});

test("a signup that nobody confirms expires after seven days", async () => {
  const harness = createHarness({ workflows: { SIGNUP: signup } });
  await harness.workflows.SIGNUP.create({ id: "ada", params: { email: "ada@example.com" } });
  await harness.runThroughTime();
  expect(await harness.status("signup", "ada")).toMatchObject({ output: { state: "expired" } });
});
