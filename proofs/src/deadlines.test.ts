/** Deadlines of waits that nobody looked at in time: the event's instant decides, not the runner's. */
import { defineWorkflow } from "@escapement/engine";
import { describe, expect, it } from "vitest";
import { type Runner, withScene } from "./subjects/scene.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "./subjects/test-database.ts";

const HOUR_MS = 3_600_000;

const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
  const first = await step
    .waitForEvent("first", { type: "paid", timeout: "1 hour" })
    .then(({ payload }) => payload)
    .catch((error: { code?: string }) => error.code);
  const second = await step.waitForEvent("second", { type: "paid", timeout: "2 days" });
  return [first, second.payload];
});

const WORKFLOWS = { W: workflow } as const;

/** Steps and events of the run as they are stored. */
async function readRun({ engine }: Runner<typeof WORKFLOWS>) {
  const { steps, events } = await engine.listHistory("w", "x", {});
  return {
    steps: steps.map(({ stepKey, status, error }) => ({ stepKey, status, code: error?.code })),
    events: events.map(({ payload, consumedByStepKey }) => ({ payload, consumedByStepKey })),
  };
}

const KINDS: readonly SubjectKind[] = [EMBEDDED, POSTGRES, SQLD].filter(
  ({ isAvailable }) => isAvailable,
);

describe.each([...KINDS])("deadlines on $name", (kind) => {
  it("S2-043 a late event does not complete the wait, whose step errors, although nobody had looked before it came", () =>
    withScene(kind, async (scene) => {
      const runner = await scene.runner(WORKFLOWS);
      await runner.engine.workflows.W.create({ id: "x" });
      await runner.engine.tick();
      await scene.advance(HOUR_MS + 1);
      const other = await scene.runner(WORKFLOWS);
      await other.engine.sendEvent("w", "x", { type: "paid", payload: "late" });
      expect((await readRun(other)).steps).toMatchObject([{ stepKey: "first", status: "waiting" }]);
      await other.engine.tick();
      const { details } = await other.engine.getInstance("w", "x");
      expect(details).toMatchObject({ status: "complete", output: ["EVENT_TIMEOUT", "late"] });
      expect(await readRun(other)).toEqual({
        steps: [
          { stepKey: "first", status: "errored", code: "EVENT_TIMEOUT" },
          { stepKey: "second", status: "completed", code: undefined },
        ],
        events: [{ payload: "late", consumedByStepKey: "second" }],
      });
    }));

  it("S2-044 an event of before the deadline completes the wait although it is looked at a day later, and a late one beside it does not", () =>
    withScene(kind, async (scene) => {
      const runner = await scene.runner(WORKFLOWS);
      await runner.engine.workflows.W.create({ id: "x" });
      await runner.engine.tick();
      await scene.advance(HOUR_MS - 1);
      await runner.engine.sendEvent("w", "x", { type: "paid", payload: "in time" });
      await scene.advance(24 * HOUR_MS);
      const other = await scene.runner(WORKFLOWS);
      await other.engine.sendEvent("w", "x", { type: "paid", payload: "late" });
      await other.engine.tick();
      const { details } = await other.engine.getInstance("w", "x");
      expect(details).toMatchObject({ status: "complete", output: ["in time", "late"] });
      expect((await readRun(other)).events).toEqual([
        { payload: "in time", consumedByStepKey: "first" },
        { payload: "late", consumedByStepKey: "second" },
      ]);
    }));
});
