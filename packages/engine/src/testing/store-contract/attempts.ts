/** What a step's row says about its attempts. */
import { describe, expect, test } from "vitest";
import { addFailedAttempt } from "../../core/failed-attempts.ts";
import { errorOf, step } from "./builders.ts";
import { parkIn, type SceneSource } from "./scene.ts";

const KEPT = addFailedAttempt(null, {
  attempt: 1,
  startedAt: 5,
  endedAt: null,
  runner: "web-1 ü",
  error: null,
});

export function describeAttempts(scene: SceneSource): void {
  describe("attempts", () => {
    test.each([1, 100])(
      "S8-002 an open step keeps its attempts for the next claim of up to %i runs, and a settled one for who looks at it",
      async (limit) => {
        const at = scene();
        const run = await at.start();
        const startedAt = (await at.clock.now()) - 40;
        const told = { attemptStartedAt: startedAt, runner: "web-2", failedAttempts: KEPT };
        const open = { status: "waiting", result: null, nextRetry: { inMs: 0 } } as const;
        await at.end(run, parkIn(0), [
          step("open", { ...told, ...open, error: errorOf("TypeError", "no") }),
          step("done", { ...told, settledOrder: 1 }),
          step("bare", { settledOrder: 2 }),
        ]);
        const again = await at.claimOne({ limit });
        expect(again.open).toMatchObject([{ stepKey: "open", ...told }]);
        const { items } = (await at.history(run.run)).steps;
        const untold = { attemptStartedAt: null, runner: null, failedAttempts: null };
        expect(new Map(items.map((item) => [item.stepKey, item]))).toEqual(
          new Map([
            ["open", expect.objectContaining(told)],
            ["done", expect.objectContaining(told)],
            ["bare", expect.objectContaining(untold)],
          ]),
        );
      },
    );

    test("S8-002 a later write says what is known from then on", async () => {
      const at = scene();
      const run = await at.start();
      const now = await at.clock.now();
      const running = { status: "running", result: null, settledOrder: null } as const;
      const first = step("a", { ...running, attemptStartedAt: now, runner: "web-1" });
      await at.commitHeld(run, { changes: [first] });
      const next = { attemptStartedAt: now + 9, runner: "web-2", failedAttempts: KEPT };
      const { id } = first.step;
      await at.commitHeld(run, { changes: [step("a", { id, ...next, version: 1 })] });
      expect((await at.history(run.run)).steps.items).toMatchObject([{ stepKey: "a", ...next }]);
    });
  });
}
