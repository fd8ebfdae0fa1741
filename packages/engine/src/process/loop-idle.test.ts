import { expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

it("after a long time of looks that found nothing, what comes due just after one is met to the moment", async () => {
  const woken: number[] = [];
  const nap = defineWorkflow({ name: "nap" }, async (event, step) => {
    await step.sleep("nap", Number(event.payload));
    await step.do("after", () => void woken.push(clock.now()));
  });
  const { engine, clock, workflows } = createHarness({ workflows: { NAP: nap } });
  const loop = engine.startLoop({ pollMs: 5000 });
  await clock.advance(1);
  const sleptAt = clock.now();
  await workflows.NAP.create({ id: "x", params: 30_100 });
  await clock.advance(30_099);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual([sleptAt + 30_100]);
  const ended = loop.stop();
  await clock.advance(1);
  await ended;
});
