import { readFileSync } from "node:fs";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { agencies, trip } from "./trip.ts";

const bookedNow = (): readonly string[] =>
  Object.values(agencies).flatMap(({ booked }) => booked.map(({ what }) => what));

it("a trip of which everything can be booked is booked", async () => {
  const harness = createHarness({ workflows: { TRIP: trip } });
  await harness.workflows.TRIP.create({ id: "lisbon", params: { to: "Lisbon" } });
  await harness.runThroughTime();
  expect(await harness.status("trip", "lisbon")).toMatchObject({ status: "complete" });
  expect(bookedNow()).toEqual(["Lisbon", "Lisbon", "Lisbon"]);
});

it("a trip whose last leg fails leaves nothing booked, and says why", async () => {
  const harness = createHarness({ workflows: { TRIP: trip } });
  const before = bookedNow();
  await harness.workflows.TRIP.create({ id: "atlantis", params: { to: "Atlantis" } });
  await harness.runUntilIdle();
  expect(bookedNow()).toHaveLength(before.length + 2);
  await harness.runThroughTime();
  expect(bookedNow()).toEqual(before);
  expect(await harness.status("trip", "atlantis")).toMatchObject({
    status: "errored",
    error: { code: "ROLLED_BACK", cause: { message: "no car left for Atlantis" } },
  });
});

it("the guide shows exactly this workflow", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../../docs/guides/undo.md")).toContain(read("./trip.ts").trim());
});
