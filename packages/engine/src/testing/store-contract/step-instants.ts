/** When a run began and its steps settled, as replays are told: `step.now` is made of that. */
import { describe, expect, test } from "vitest";
import type { EpochMs } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { errorOf, openSleep, step } from "./builders.ts";
import { LEASE_MS, parkIn, type SceneSource } from "./scene.ts";

const instantsOf = ({ settled }: Pick<ClaimedRun, "settled">): Record<string, EpochMs> =>
  Object.fromEntries(settled.map(({ stepKey, updatedAt }) => [stepKey, updatedAt]));

export function describeStepInstants(scene: SceneSource): void {
  describe("instants of steps and runs", () => {
    test.each([1, 100])(
      "S6-018 a step has settled when its write says, for the next claim of up to %i runs and wherever it is read",
      async (limit) => {
        const at = scene();
        const run = await at.start();
        const began = await at.clock.now();
        await at.commitHeld(run, { changes: [openSleep("nap", { inMs: 5 })] });
        await at.clock.advance(1000);
        const error = errorOf("TypeError", "no");
        const settledAt = { plain: began + 10, failed: began + 20, nap: began + 30 };
        const { id } = (await at.history(run.run)).steps.items[0] ?? { id: "" };
        const changes = [
          step("plain", { settledOrder: 1, updatedAt: settledAt.plain }),
          step("failed", {
            settledOrder: 2,
            status: "errored",
            error,
            result: null,
            updatedAt: settledAt.failed,
          }),
          step("nap", { id, type: "sleep", settledOrder: 3, updatedAt: settledAt.nap, version: 1 }),
        ];
        await at.end(run, parkIn(0), [...changes, openSleep("next", { inMs: 0 })]);
        const ended = await at.clock.now();
        const again = await at.claimOne({ limit });
        expect(instantsOf(again)).toEqual(settledAt);
        expect(again.open).toMatchObject([{ stepKey: "next", createdAt: ended, updatedAt: ended }]);
        expect(instantsOf(await at.store.loadSteps({ ...run.run, after: 0 }))).toEqual(settledAt);
        const { items } = (await at.history(run.run)).steps;
        expect(
          Object.fromEntries(items.map((one) => [one.stepKey, [one.createdAt, one.updatedAt]])),
        ).toEqual({
          plain: [settledAt.plain, settledAt.plain],
          failed: [settledAt.failed, settledAt.failed],
          nap: [began, settledAt.nap],
          next: [ended, ended],
        });
      },
    );

    test("S6-018 alone in its commit as well, and one whose write says nothing has that of the database", async () => {
      const at = scene();
      const run = await at.start();
      const began = await at.clock.now();
      await at.clock.advance(50);
      await at.commitHeld(run, { changes: [step("a", { updatedAt: began + 7 })] });
      await at.commitHeld(run, { changes: [step("b", { settledOrder: 2 })] });
      await at.end(run, parkIn(0), []);
      expect(instantsOf(await at.claimOne())).toEqual({ a: began + 7, b: began + 50 });
    });

    test("S6-018 every claim tells when its run was first claimed, also after a retry; a restart begins anew", async () => {
      const at = scene();
      const { instanceId } = await at.create({ start: { inMs: 500 } });
      await at.clock.advance(700);
      const first = await at.clock.now();
      expect(await at.claimOne()).toMatchObject({ startedAt: first, isFirst: true });
      // Its answer may have been lost.
      await at.clock.advance(LEASE_MS);
      const taken = await at.claimOne();
      expect(taken).toMatchObject({ startedAt: first, createdAt: first - 700, isFirst: false });
      const error = errorOf("TypeError", "no");
      await at.clock.advance(10);
      await at.end(taken, { kind: "fail", error }, [
        step("a", { status: "errored", result: null, error }),
      ]);
      await at.control(instanceId, "retry");
      await at.clock.advance(10);
      const again = await at.claimOne();
      expect(again).toMatchObject({ run: { runNumber: 1 }, startedAt: first, isFirst: false });
      await at.control(instanceId, "restart");
      await at.clock.advance(10);
      const restarted = { run: { runNumber: 2 }, startedAt: await at.clock.now() };
      expect(await at.claimOne()).toMatchObject({ ...restarted, isFirst: true });
    });

    test("S6-018 so does an event that claims its run", async () => {
      const at = scene();
      const run = await at.start();
      const began = await at.clock.now();
      const { instanceId } = run.run;
      await at.clock.advance(10);
      const wait = step("w", { type: "waitForEvent", status: "waiting", waitEventType: "go" });
      await at.end(run, { kind: "park", taskKind: "wake", at: null, inMs: null }, [wait]);
      const claim = { token: `event ${instanceId}`, leaseMs: LEASE_MS };
      expect(await at.send(instanceId, "go", null, { claim })).toMatchObject({
        run: { startedAt: began, isFirst: false },
      });
    });
  });
}
