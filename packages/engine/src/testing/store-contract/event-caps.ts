/** `sendEvent` at the limit of what a run may hold. */
import { describe, expect, test } from "vitest";
import { eventConsumed, step } from "./builders.ts";
import { COMPLETE, type SceneSource } from "./scene.ts";

/** A JSON text of this many bytes. */
const text = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;

export function describeEventCaps(scene: SceneSource): void {
  describe("a run's undelivered events", () => {
    test("S5-013 are capped in count: one more is refused and stored nowhere", async () => {
      const { create, send, claimOne } = scene();
      const { instanceId } = await create();
      const cap = { maxCount: 3, maxBytes: 1000 };
      for (let count = 0; count < 3; count += 1)
        expect(await send(instanceId, "go", null, { cap })).toMatchObject({ kind: "applied" });
      expect(await send(instanceId, "go", null, { cap })).toMatchObject({
        kind: "eventLimit",
        instance: { instanceId, status: "queued" },
      });
      expect((await claimOne()).events).toHaveLength(3);
    });

    test("S5-013 are capped in bytes of UTF-8, the last one included", async () => {
      const { create, send } = scene();
      const { instanceId } = await create();
      const cap = { maxCount: 10, maxBytes: 100 };
      expect((await send(instanceId, "a", text(60), { cap })).kind).toBe("applied");
      expect((await send(instanceId, "a", text(41), { cap })).kind).toBe("eventLimit");
      // Twenty characters of three bytes each, and two of one byte.
      expect((await send(instanceId, "a", `"${"\u20ac".repeat(20)}"`, { cap })).kind).toBe(
        "eventLimit",
      );
      expect((await send(instanceId, "a", text(40), { cap })).kind).toBe("applied");
      expect((await send(instanceId, "a", null, { cap })).kind).toBe("applied");
      expect((await send(instanceId, "a", `1`, { cap })).kind).toBe("eventLimit");
    });

    test("S5-013 make room when a wait takes one, and belong to one run", async () => {
      const { start, send, commitHeld, control } = scene();
      const run = await start();
      const { instanceId } = run.run;
      const cap = { maxCount: 1, maxBytes: 1000 };
      await send(instanceId, "go", null, { cap });
      const { events } = await commitHeld(run);
      await commitHeld(run, {
        changes: [step("w", { type: "waitForEvent" }), eventConsumed(events[0]?.id ?? "", "w")],
      });
      expect((await send(instanceId, "go", null, { cap })).kind).toBe("applied");
      expect((await send(instanceId, "go", null, { cap })).kind).toBe("eventLimit");
      await control(instanceId, "restart");
      expect((await send(instanceId, "go", null, { cap })).kind).toBe("applied");
    });

    test("S5-013 at the cap a repeat is still accepted, and an ended instance says that it ended", async () => {
      const { start, send, end } = scene();
      const run = await start();
      const { instanceId } = run.run;
      const cap = { maxCount: 1, maxBytes: 1000 };
      await send(instanceId, "go", `1`, { cap, eventId: "e" });
      expect((await send(instanceId, "go", `1`, { cap, eventId: "e" })).kind).toBe("applied");
      expect((await send(instanceId, "go", `2`, { cap, eventId: "e" })).kind).toBe(
        "eventIdConflict",
      );
      await end(run, COMPLETE);
      expect((await send(instanceId, "go", `1`, { cap })).kind).toBe("terminal");
    });

    test("S5-013 an event that is refused wakes nobody", async () => {
      const { start, send, end, claim } = scene();
      const run = await start();
      const { instanceId } = run.run;
      const cap = { maxCount: 1, maxBytes: 1000 };
      await send(instanceId, "other", null, { cap });
      await end(run, { kind: "park", taskKind: "wake", at: null, inMs: 60_000 }, [
        step("w", { type: "waitForEvent", status: "waiting", waitEventType: "go", result: null }),
      ]);
      expect((await send(instanceId, "go", null, { cap })).kind).toBe("eventLimit");
      expect((await claim()).runs).toEqual([]);
    });
  });
}
