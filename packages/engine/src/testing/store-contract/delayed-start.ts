/** Instances with a delayed start: due by the database's clock, and not earlier. */
import { describe, expect, test } from "vitest";
import { toStartsAt } from "../../core/delayed-start.ts";
import type { When } from "../../core/model/change.ts";
import type { InstanceRecord } from "../../core/model/records.ts";
import { newId } from "./builders.ts";
import { COMPLETE, LEASE_MS, type Scene, type SceneSource } from "./scene.ts";

const DELAY_MS = 3_600_000;

export function describeDelayedStart(scene: SceneSource): void {
  /** The two ways to give the start. */
  const ways: readonly (readonly [string, (scene: Scene) => Promise<When>])[] = [
    ["a delay", async () => ({ inMs: DELAY_MS })],
    ["an instant", async ({ clock }) => ({ at: (await clock.now()) + DELAY_MS })],
  ];
  const createLater = async (from: Scene): Promise<InstanceRecord> =>
    from.create({ start: { inMs: DELAY_MS } });

  describe("delayed start", () => {
    test.each(ways)(
      "with %s it is queued, told by nextWakeAt, and claimed at its time to the millisecond",
      async (_way, when) => {
        const own = scene();
        const { clock, claim, claimOne, load } = own;
        const now = await clock.now();
        const created = await own.create({ start: await when(own) });
        const dueAt = now + DELAY_MS;
        expect(created).toMatchObject({ status: "queued", createdAt: now, updatedAt: now });
        expect(toStartsAt(created)).toBe(dueAt);
        expect(await load(created.instanceId)).toEqual(created);
        const before = { runs: [], nextWakeAt: dueAt, nextDueAt: dueAt };
        expect(await claim()).toMatchObject(before);
        await clock.advance(DELAY_MS - 1);
        expect(await claim()).toMatchObject(before);
        await clock.advance(1);
        expect((await claimOne()).run.instanceId).toBe(created.instanceId);
        const started = await load(created.instanceId);
        expect(started).toMatchObject({ status: "running", startedAt: dueAt });
        expect(toStartsAt(started)).toBeNull();
      },
    );

    test("startedAt is the first claim, also when that comes late, and a takeover leaves it", async () => {
      const own = scene();
      const { clock, claimOne, load } = own;
      const { instanceId } = await createLater(own);
      await clock.advance(DELAY_MS + 5000);
      const startedAt = await clock.now();
      await claimOne();
      await clock.advance(LEASE_MS);
      await claimOne();
      expect(await load(instanceId)).toMatchObject({ startedAt });
    });

    test.each([0, -1, -1_000_000_000_000])(
      "an instant that is not ahead (%i ms) is at once, and goes before nobody who is due",
      async (aheadMs) => {
        const { clock, create, claim } = scene();
        const earlier = await create();
        await clock.advance(1);
        const at = Math.max(0, (await clock.now()) + aheadMs);
        const past = await create({ start: { at } });
        expect(past).toMatchObject({ status: "queued", startedAt: null });
        const { runs } = await claim();
        expect(runs.map(({ run }) => run.instanceId)).toEqual([
          earlier.instanceId,
          past.instanceId,
        ]);
      },
    );

    test("in a batch each has its own time, beside those that start at once", async () => {
      const { store, newInstance, clock, claim } = scene();
      const now = await clock.now();
      const batch = [
        newInstance({ start: { inMs: 2000 } }),
        newInstance(),
        newInstance({ start: { at: now + 1000 } }),
      ];
      await store.create(batch);
      const claimedIds = async (): Promise<readonly string[]> =>
        (await claim()).runs.map(({ run }) => run.instanceId);
      expect(await claimedIds()).toEqual([batch[1]?.instanceId]);
      await clock.advance(1000);
      expect(await claimedIds()).toEqual([batch[2]?.instanceId]);
      await clock.advance(1000);
      expect(await claimedIds()).toEqual([batch[0]?.instanceId]);
    });

    test("a create repeated because its answer was lost keeps the first one's time", async () => {
      const { store, newInstance, clock, claim } = scene();
      const request = newInstance({ start: { inMs: DELAY_MS } });
      const [first] = await store.create([request]);
      await clock.advance(1000);
      expect(await store.create([request])).toEqual([first]);
      await clock.advance(DELAY_MS - 1000);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("an event is kept and starts nothing", async () => {
      const own = scene();
      const { send, claim, claimOne, clock } = own;
      const { instanceId } = await createLater(own);
      const ticket = { token: newId(), leaseMs: LEASE_MS };
      expect(await send(instanceId, "go", "1", { claim: ticket })).toMatchObject({
        kind: "applied",
        woke: false,
        run: null,
      });
      expect((await claim()).runs).toEqual([]);
      await clock.advance(DELAY_MS);
      expect((await claimOne()).events).toMatchObject([{ type: "go" }]);
    });

    test("paused and resumed before its time it keeps it", async () => {
      const own = scene();
      const { control, claim, claimOne, clock } = own;
      const created = await createLater(own);
      await clock.advance(1000);
      expect(await control(created.instanceId, "pause")).toMatchObject({
        instance: { status: "paused", startedAt: created.startedAt },
      });
      expect(await claim()).toMatchObject({ runs: [], nextWakeAt: null });
      await clock.advance(1000);
      await control(created.instanceId, "resume");
      expect(await claim()).toMatchObject({ runs: [], nextWakeAt: created.startedAt });
      await clock.advance(DELAY_MS - 2000);
      expect((await claimOne()).run.instanceId).toBe(created.instanceId);
    });

    test("paused over its time it starts when it is resumed", async () => {
      const own = scene();
      const { control, claim, claimOne, clock } = own;
      const { instanceId } = await createLater(own);
      await control(instanceId, "pause");
      await clock.advance(DELAY_MS * 2);
      expect((await claim()).runs).toEqual([]);
      await control(instanceId, "resume");
      expect((await claimOne()).run.instanceId).toBe(instanceId);
    });

    test("a run that has started is resumed at once, whenever it was to start", async () => {
      const own = scene();
      const { control, claimOne, end, clock } = own;
      const { instanceId } = await createLater(own);
      await clock.advance(DELAY_MS);
      const run = await claimOne();
      await control(instanceId, "pause");
      await end(run, { kind: "pause" });
      await control(instanceId, "resume");
      expect((await claimOne()).run.instanceId).toBe(instanceId);
    });

    test("a restart starts at once, and nothing is due at the old time", async () => {
      const own = scene();
      const { control, claim, claimOne, end, clock } = own;
      const { instanceId } = await createLater(own);
      expect(await control(instanceId, "restart")).toMatchObject({
        instance: { status: "queued", runNumber: 2, startedAt: null },
      });
      await end(await claimOne(), COMPLETE);
      await clock.advance(DELAY_MS);
      expect((await claim()).runs).toEqual([]);
    });

    test("one that is terminated never starts; restarted, it starts at once", async () => {
      const own = scene();
      const { control, claim, claimOne, clock } = own;
      const { instanceId } = await createLater(own);
      await control(instanceId, "terminate");
      await clock.advance(DELAY_MS);
      expect((await claim()).runs).toEqual([]);
      await control(instanceId, "restart");
      expect((await claimOne()).run.runNumber).toBe(2);
    });
  });
}
