import { createHarness } from "@escapement/engine/testing";
import { beforeEach, expect, it } from "vitest";
import { album, pictures } from "./resize.ts";

const run = async (count: number): Promise<unknown> => {
  const harness = createHarness({ workflows: { ALBUM: album } });
  await harness.workflows.ALBUM.create({ id: "a", params: count });
  await harness.runThroughTime();
  return harness.status("album", "a");
};

beforeEach(() => {
  pictures.mostInWork = 0;
});

it("a thousand pictures are made, twenty at once, and three that cannot be read are named", async () => {
  expect(await run(1000)).toMatchObject({
    status: "complete",
    output: {
      made: 997,
      failed: [17, 400, 801].map((picture) => `picture ${picture} cannot be read`),
    },
  });
  expect(pictures.mostInWork).toBe(20);
});

it("one more that cannot be read fails the album", async () => {
  pictures.broken.add(5);
  expect(await run(1000)).toMatchObject({ status: "errored", error: { code: "JOIN_FAILED" } });
  pictures.broken.delete(5);
});
