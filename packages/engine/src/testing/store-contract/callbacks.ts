/** `sendEvent` for one wait: stored once, and only while the wait may still take it. */
import { describe, expect, test } from "vitest";
import { toCallbackEvent } from "../../core/callback.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { SendEventRequest, SendEventResult } from "../../ports/send-event.ts";
import { eventConsumed, newId, openWait, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

/** Uses the token of a step of a run. */
function use(
  { send }: Scene,
  { runNumber, instanceId }: ClaimedRun["run"],
  stepKey: string,
  { payload = `1`, ...others }: Partial<SendEventRequest> = {},
): Promise<SendEventResult> {
  const type = toCallbackEvent(stepKey);
  const callback = { runNumber, stepKey };
  return send(instanceId, type, payload, { eventId: type, callback, ...others });
}

export function describeCallbacks(source: SceneSource): void {
  describe("an event for one wait", () => {
    test("S6-016 is kept until the run comes to the wait, and wakes it if it is there", async () => {
      const scene = source();
      const early = await scene.start();
      expect(await use(scene, early.run, "a")).toMatchObject({ kind: "applied", woke: false });
      expect((await scene.commitHeld(early)).events).toMatchObject([{ type: "callback a" }]);
      const run = await scene.start();
      await scene.end(run, parkIn(60_000), [openWait("a", "callback a", null)]);
      expect(await use(scene, run.run, "b")).toMatchObject({ kind: "applied", woke: false });
      expect(await use(scene, run.run, "a")).toMatchObject({ kind: "applied", woke: true });
      expect((await scene.claimOne()).events.map(({ type }) => type)).toEqual([
        "callback b",
        "callback a",
      ]);
    });

    test("S6-016 is stored once, whatever the payload; a call whose answer was lost is told of its own", async () => {
      const scene = source();
      const run = await scene.start();
      const mine = { eventRowId: newId() };
      expect((await use(scene, run.run, "a", mine)).kind).toBe("applied");
      for (const payload of [`1`, `2`])
        expect((await use(scene, run.run, "a", { payload })).kind).toBe("callbackUsed");
      expect((await use(scene, run.run, "a", mine)).kind).toBe("applied");
      const { events } = await scene.commitHeld(run);
      expect(events).toMatchObject([{ payload: `1` }]);
      const done = step("a", { type: "waitForEvent" });
      await scene.end(run, COMPLETE, [done, eventConsumed(events[0]?.id ?? "", "a")]);
      expect((await use(scene, run.run, "a", mine)).kind).toBe("applied");
      expect((await use(scene, run.run, "a")).kind).toBe("callbackUsed");
    });

    test("S6-016 is stored once of twenty that come at the same time", async () => {
      const scene = source();
      const run = await scene.start();
      const uses = Array.from({ length: 20 }, () => use(scene, run.run, "a"));
      const kinds = (await Promise.all(uses)).map(({ kind }) => kind).toSorted();
      expect(kinds).toEqual(["applied", ...Array.from({ length: 19 }, () => "callbackUsed")]);
      expect((await scene.commitHeld(run)).events).toHaveLength(1);
    });

    test("S6-016 is late from the wait's deadline on, though nobody has looked", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, parkIn(60_000), [openWait("a", "callback a", { inMs: 60_000 })]);
      await scene.clock.advance(60_000);
      expect((await use(scene, run.run, "a")).kind).toBe("callbackLate");
      expect((await scene.claimOne()).events).toEqual([]);
    });

    test.each(["errored", "cancelled"] as const)(
      "S6-016 is late once the wait is %s",
      async (status) => {
        const scene = source();
        const run = await scene.start();
        await scene.commitHeld(run, { changes: [step("a", { type: "waitForEvent", status })] });
        expect((await use(scene, run.run, "a")).kind).toBe("callbackLate");
        expect((await scene.history(run.run)).events.items).toEqual([]);
      },
    );

    test("S6-016 is late once the run has ended or was restarted, and reaches no other run", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, COMPLETE);
      expect((await use(scene, run.run, "a")).kind).toBe("callbackLate");
      await scene.control(run.run.instanceId, "restart");
      expect((await use(scene, run.run, "a")).kind).toBe("callbackLate");
      const again = await scene.claimOne();
      expect(again.events).toEqual([]);
      expect((await use(scene, again.run, "a")).kind).toBe("applied");
    });

    test("S6-016 is late once a scope around it has ended, or a loop has gone past it", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.commitHeld(run, {
        changes: [
          step("race", { type: "race" }),
          step("l", {
            type: "loop",
            status: "running",
            settledOrder: null,
            result: `{"iteration":10,"state":{"iteration":3}}`,
          }),
        ],
      });
      expect((await use(scene, run.run, "race/x/a")).kind).toBe("callbackLate");
      for (const iteration of [2, 9])
        for (const _twice of [1, 2])
          expect((await use(scene, run.run, `l/~${iteration}/a`)).kind).toBe("callbackLate");
      expect((await use(scene, run.run, "l/~10/a")).kind).toBe("applied");
      expect((await use(scene, run.run, "races/x/a")).kind).toBe("applied");
    });

    test("S6-016 counts among what a run may hold, and an instance that is not there takes none", async () => {
      const scene = source();
      const run = await scene.start();
      const cap = { maxCount: 1, maxBytes: 1000 };
      expect((await use(scene, run.run, "a", { cap })).kind).toBe("applied");
      expect((await use(scene, run.run, "b", { cap })).kind).toBe("eventLimit");
      expect((await use(scene, { ...run.run, instanceId: "none" }, "a")).kind).toBe("notFound");
    });

    test("S6-016 claims the run that it makes due, if it is asked to", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, parkIn(60_000), [openWait("a", "callback a", null)]);
      const claim = { token: newId(), leaseMs: 60_000 };
      const sent = await use(scene, run.run, "a", { claim });
      expect(sent).toMatchObject({ kind: "applied", run: { events: [{ type: "callback a" }] } });
    });
  });
}
