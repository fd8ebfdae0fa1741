import { createHarness } from "@escapement/engine/testing";
import { beforeEach, expect, it } from "vitest";
import { depot, order, parcel } from "./order.ts";

const PARCELS = ["a lamp", "the piano", "a chair"];

async function place() {
  const harness = createHarness({ workflows: { ORDER: order, PARCEL: parcel } });
  const instance = await harness.workflows.ORDER.create({ id: "o-1", params: PARCELS });
  await harness.runUntilIdle();
  return { harness, instance };
}

beforeEach(() => depot.booked.clear());

it("each parcel is shipped by a workflow of its own, and the order tells of all", async () => {
  const { harness } = await place();
  harness.restart();
  await harness.clock.advance(86_400_000);
  await harness.runThroughTime();
  expect(await harness.status("order", "o-1")).toMatchObject({
    status: "complete",
    output: {
      shipped: [expect.stringMatching("a lamp by van"), expect.stringMatching("a chair by van")],
      left: [expect.stringMatching("too heavy for every van")],
    },
  });
});

it("an order that is called off takes its parcels off the road", async () => {
  const { harness, instance } = await place();
  expect([...depot.booked]).toEqual(["a lamp", "a chair"]);
  await instance.cancel();
  await harness.runUntilIdle();
  expect(await harness.status("order", "o-1")).toMatchObject({ status: "terminated" });
  expect([...depot.booked]).toEqual([]);
});
