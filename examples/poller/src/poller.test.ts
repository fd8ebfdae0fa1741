import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { poller } from "./poller.ts";

it("days of checks leave a history of some iterations, and a right count", async () => {
  const harness = createHarness({ workflows: { POLLER: poller } });
  await harness.workflows.POLLER.create({ id: "watch", params: 600 });
  await harness.runThroughTime();
  expect(await harness.status("poller", "watch")).toMatchObject({
    status: "complete",
    output: { checks: 600, outages: 1 },
  });
  const { steps } = await harness.history("poller", "watch");
  expect(steps.length).toBeLessThan(100);
});
