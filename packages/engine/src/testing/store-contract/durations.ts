/** Long durations in every column that holds one. */
import { describe, expect, test } from "vitest";
import { openSleep, openWait, step } from "./builders.ts";
import { LEASE_MS, parkIn, type SceneSource } from "./scene.ts";

const YEAR_MS = 365 * 86_400_000;

export function describeDurations(scene: SceneSource): void {
  describe("durations of a year", () => {
    test("S5-011 a step's timeout, its next attempt, a sleep and a deadline hold a year", async () => {
      const at = scene();
      const run = await at.start();
      const now = await at.clock.now();
      const retry = { status: "waiting", result: null, nextRetry: { inMs: YEAR_MS } } as const;
      await at.commitHeld(run, {
        changes: [
          step("timeout", { timeoutMs: YEAR_MS }),
          step("retry", { ...retry, timeoutMs: YEAR_MS }),
          openSleep("sleep", { inMs: YEAR_MS }),
          openWait("wait", "go", { inMs: YEAR_MS }),
          openSleep("until", { at: now + 2 * YEAR_MS }),
        ],
      });
      const steps = new Map(
        (await at.history(run.run)).steps.items.map((item) => [item.stepKey, item]),
      );
      expect(steps.get("timeout")?.timeoutMs).toBe(YEAR_MS);
      expect(steps.get("retry")).toMatchObject({ timeoutMs: YEAR_MS, nextRetryAt: now + YEAR_MS });
      expect(steps.get("sleep")?.wakeAt).toBe(now + YEAR_MS);
      expect(steps.get("wait")?.wakeAt).toBe(now + YEAR_MS);
      expect(steps.get("until")?.wakeAt).toBe(now + 2 * YEAR_MS);
      await at.clock.advance(LEASE_MS);
      const taken = await at.claimOne();
      const { open } = taken;
      expect(open.find(({ stepKey }) => stepKey === "retry")).toMatchObject({
        timeoutMs: YEAR_MS,
        nextRetryAt: now + YEAR_MS,
      });
      const parked = await at.end(taken, parkIn(YEAR_MS));
      expect(parked.dueAt).toBe((await at.clock.now()) + YEAR_MS);
      expect((await at.claim()).nextWakeAt).toBe((await at.clock.now()) + YEAR_MS);
    });

    test("S5-011 a lone step with a timeout of a year is written by its own statement", async () => {
      const at = scene();
      const run = await at.start();
      await at.commitHeld(run, {
        changes: [step("alone", { timeoutMs: YEAR_MS })],
        readsEvents: false,
      });
      expect((await at.history(run.run)).steps.items).toMatchObject([{ timeoutMs: YEAR_MS }]);
    });

    test("S5-011 a lease of a year holds a year", async () => {
      const at = scene();
      await at.create();
      await at.claimOne({ leaseMs: YEAR_MS });
      expect((await at.claim()).nextWakeAt).toBe((await at.clock.now()) + YEAR_MS);
    });
  });
}
