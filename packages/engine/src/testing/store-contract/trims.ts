/** Rows that loops do without. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../core/model/change.ts";
import { TRIMMED_EVENTS_KEPT_MS } from "../../core/model/change.ts";
import { eventConsumed, step } from "./builders.ts";
import type { Scene, SceneSource } from "./scene.ts";

const trimmed = (...stepKeys: string[]): Change => ({ kind: "stepsTrimmed", stepKeys });

const keysOf = async (
  { history }: Scene,
  run: Parameters<Scene["history"]>[0],
): Promise<string[]> => (await history(run)).steps.items.map(({ stepKey }) => stepKey).toSorted();

export function describeTrims(scene: SceneSource): void {
  describe("rows that loops do without", () => {
    test("S6-007 S3-014 S3-053 go with the commit that says so, those that it writes among them, and no other", async () => {
      const own = scene();
      const run = await own.start();
      const keys = ["loop/~1/a", "loop/~10/a", "loop/~1", "loop/~1/b/~0/c", "loop"];
      await own.commitHeld(run, { changes: keys.map((key) => step(key)) });
      await own.commitHeld(run, {
        changes: [step("loop/~2/a"), trimmed("loop/~1/a", "loop/~1/b/~0/c", "loop/~2/a", "never")],
      });
      expect(await keysOf(own, run.run)).toEqual(["loop", "loop/~1", "loop/~10/a"]);
    });

    test("S6-007 are those of the lease's own run", async () => {
      const own = scene();
      const [first, second] = [await own.start(), await own.start()];
      await own.commitHeld(first, { changes: [step("loop/~0/a")] });
      await own.commitHeld(second, { changes: [step("loop/~0/a")] });
      await own.commitHeld(first, { changes: [trimmed("loop/~0/a")] });
      expect(await keysOf(own, first.run)).toEqual([]);
      expect(await keysOf(own, second.run)).toEqual(["loop/~0/a"]);
    });

    test("S6-007 stay when the lease is lost", async () => {
      const own = scene();
      const run = await own.start();
      await own.commitHeld(run, { changes: [step("loop/~0/a")] });
      await own.clock.advance(61_000);
      await own.claimOne();
      const late = await own.commit(run, { changes: [trimmed("loop/~0/a")] });
      expect(late.kind).toBe("conflict");
      expect(await keysOf(own, run.run)).toEqual(["loop/~0/a"]);
    });

    test("S6-007 S5-023 take their events with them an hour after these were taken, and until then an event's id tells a repeat", async () => {
      const own = scene();
      const { instanceId, run } = await startWithEvents(own, ["early", "kept"]);
      const claimed = await own.claimOne({ leaseMs: 10 * TRIMMED_EVENTS_KEPT_MS });
      const [early, kept] = claimed.events;
      await own.commitHeld(claimed, {
        changes: [
          step("loop/~0/w", { type: "waitForEvent" }),
          step("w", { type: "waitForEvent", settledOrder: 2 }),
          eventConsumed(early?.id ?? "", "loop/~0/w"),
          eventConsumed(kept?.id ?? "", "w"),
        ],
      });
      await own.commitHeld(claimed, { changes: [trimmed("loop/~0/w")] });
      await own.send(instanceId, "go", `"early"`, { eventId: "early" });
      expect(await payloadsOf(own, run)).toEqual([`"early"`, `"kept"`]);
      await own.clock.advance(TRIMMED_EVENTS_KEPT_MS + 1000);
      await own.send(instanceId, "go", `"new"`, { eventId: "new" });
      await own.commitHeld(claimed, { changes: [step("loop/~1/a"), trimmed("loop/~1/a")] });
      expect(await payloadsOf(own, run)).toEqual([`"kept"`, `"new"`]);
    });
  });
}

async function startWithEvents(
  { create, send }: Scene,
  names: readonly string[],
): Promise<{ readonly instanceId: string; readonly run: Parameters<Scene["history"]>[0] }> {
  const { instanceId, workflowName, runNumber } = await create();
  for (const name of names) await send(instanceId, "go", JSON.stringify(name), { eventId: name });
  return { instanceId, run: { workflowName, instanceId, runNumber } };
}

const payloadsOf = async (
  { history }: Scene,
  run: Parameters<Scene["history"]>[0],
): Promise<string[]> =>
  (await history(run)).events.items.map(({ payload }) => String(payload)).toSorted();
