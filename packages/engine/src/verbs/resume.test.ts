/** `resume` while a pause is requested and not carried out. */
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

/** A workflow whose first body continues when the test says so. */
function createScene() {
  let finish = (): void => {};
  const gate = new Promise<void>((resolve) => (finish = resolve));
  const bodies: string[] = [];
  const order = defineWorkflow({ name: "order" }, async (_event, step) => {
    await step.do("slow", async () => {
      bodies.push("slow");
      await gate;
    });
    await step.do("next", () => void bodies.push("next"));
  });
  return { ...createHarness({ workflows: { ORDER: order } }), finish, bodies };
}

test("S5-028 an instance that is resumed before its pause was carried out goes on and completes", async () => {
  const { engine, workflows, tick, runUntilIdle, status, finish, bodies } = createScene();
  await workflows.ORDER.create({ id: "a" });
  const ticking = tick();
  await expect.poll(() => bodies).toEqual(["slow"]);
  expect(await engine.control("order", "a", "pause")).toMatchObject({
    details: { status: "waitingForPause" },
  });
  expect(await engine.control("order", "a", "resume")).toMatchObject({
    details: { status: "running" },
  });
  finish();
  await ticking;
  await runUntilIdle();
  expect(await status("order", "a")).toMatchObject({ status: "complete" });
  expect(bodies).toEqual(["slow", "next"]);
});

test("S5-028 a pause that is not taken back is carried out", async () => {
  const { engine, workflows, tick, runUntilIdle, status, finish, bodies } = createScene();
  await workflows.ORDER.create({ id: "a" });
  const ticking = tick();
  await expect.poll(() => bodies).toEqual(["slow"]);
  await engine.control("order", "a", "pause");
  finish();
  await ticking;
  await runUntilIdle();
  expect(await status("order", "a")).toMatchObject({ status: "paused" });
  expect(bodies).toEqual(["slow"]);
});
