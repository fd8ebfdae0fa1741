/** `measureActivity`: how late runs continue after what they waited for. */
import { describe, expect, test } from "vitest";
import type { EpochMs } from "../../core/model/records.ts";
import { toEventResult } from "../../core/decide/wait-for-event.ts";
import type { Activity } from "../../ports/overview.ts";
import { newId, openSleep, openWait, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const HOUR = 3_600_000;

const measure = (at: Scene, sampled = 100): Promise<Activity> =>
  at.store.measureActivity({
    workflowNames: [at.workflowName],
    bucketMs: HOUR,
    bucketCount: 2,
    walked: 1000,
    looked: 1000,
    counted: 10,
    sampled,
  });

/** Over all buckets, because a test may run across the end of an hour. */
const endedIn = ({ buckets }: Activity): number =>
  buckets.reduce((sum, { waitsEnded }) => sum + waitsEnded, 0);

const latenessIn = ({ buckets }: Activity) =>
  buckets.flatMap(({ latenessMs }) => (latenessMs === null ? [] : [latenessMs]));

interface Ended {
  readonly sleep?: EpochMs;
  readonly event?: EpochMs;
  readonly ended: EpochMs;
}

/** A wait begins now, is over at `sleep` or `event`, and the run continues at `ended`. */
async function waitAndEnd(at: Scene, { sleep, event, ended }: Ended): Promise<void> {
  const run = await at.start();
  const stepKey = "w";
  const id = newId();
  const open =
    sleep === undefined
      ? openWait(stepKey, `a"b`, { inMs: HOUR }, id)
      : { ...openSleep(stepKey, { at: sleep }) };
  await at.commitHeld(run, { changes: [open] });
  await at.clock.advance(10);
  const result =
    event === undefined
      ? null
      : toEventResult({ id, type: `a"b`, createdAt: event, eventId: null, payload: "1" } as never);
  const closed = step(stepKey, {
    type: sleep === undefined ? "waitForEvent" : "sleep",
    wake: { at: sleep ?? ended + HOUR },
    updatedAt: ended,
    timeoutMs: null,
    result,
    version: 1,
  });
  await at.end(run, COMPLETE, [closed]);
}

export function describeLateness(scene: SceneSource): void {
  describe("measureActivity, of waits", () => {
    test("S8-008 how late sleeps and waits for an event went on is told by half, by 95 of 100 and by all of them", async () => {
      const at = scene();
      const now = await at.store.now();
      await waitAndEnd(at, { sleep: now + 20_000, ended: now + 20_000 });
      await waitAndEnd(at, { event: now + 20_000, ended: now + 22_000 });
      await waitAndEnd(at, { sleep: now + 20_000, ended: now + 27_000 });
      await at.clock.advance(60_000);
      const found = await measure(at);
      expect(endedIn(found)).toBe(3);
      if (found.buckets.at(-1)?.waitsEnded === 3)
        expect(latenessIn(found)).toEqual([{ median: 2000, p95: 7000, longest: 7000 }]);
    });

    test("S8-008 what is open, was never waited for or is a step of another kind is not late", async () => {
      const at = scene();
      const now = await at.store.now();
      const parked = await at.start();
      await at.end(parked, parkIn(HOUR), [openSleep("open", { at: now - 5000 })]);
      const run = await at.start();
      const wake = { at: now - 5000 };
      await at.end(run, COMPLETE, [
        step("at once", { type: "sleep", wake, updatedAt: now, timeoutMs: null, result: null }),
        step("work", { updatedAt: now + 10_000 }),
      ]);
      const found = await measure(at);
      expect(endedIn(found)).toBe(0);
      expect(latenessIn(found)).toEqual([]);
    });

    test("S8-008 the waits of no more instances than asked for are looked at, evenly", async () => {
      const at = scene();
      const now = await at.store.now();
      for (let count = 0; count < 7; count += 1)
        await waitAndEnd(at, { sleep: now + 1000, ended: now + 2000 });
      await at.clock.advance(5000);
      expect(endedIn(await measure(at, 7))).toBe(7);
      expect(endedIn(await measure(at, 3))).toBe(2);
      expect(endedIn(await measure(at, 1))).toBe(1);
    });
  });
}
