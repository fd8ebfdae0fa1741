/** `measureActivity`, `listLeases` and `listCallbacks`: what is going on, with bounded reads. */
import { describe, expect, test } from "vitest";
import { toCallbackEvent } from "../../core/callback.ts";
import { toClaimToken } from "../../core/lease-owner.ts";
import type { RunOutcome } from "../../core/model/change.ts";
import type { InstanceRecord } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type {
  Activity,
  ActivityRequest,
  CallbackPosition,
  CallbacksRequest,
  OpenCallback,
} from "../../ports/overview.ts";
import { errorOf, newId, openWait, step } from "./builders.ts";
import { COMPLETE, LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

const MINUTE = 60_000;

const measure = (at: Scene, asked: Partial<ActivityRequest> = {}): Promise<Activity> =>
  at.store.measureActivity({
    workflowNames: [at.workflowName],
    bucketMs: MINUTE,
    bucketCount: 5,
    walked: 1000,
    looked: 1000,
    counted: 1000,
    sampled: 100,
    ...asked,
  });

/** Moves to one second after the beginning of the next minute. */
async function toNextMinute({ clock, store }: Scene): Promise<void> {
  await clock.advance(MINUTE + 1000 - ((await store.now()) % MINUTE));
}

const FAILED = { kind: "fail", error: errorOf("Error", "m") } as const;

const FOREVER = 8_640_000_000_000;

async function waitForCallback(
  at: Scene,
  keys: readonly string[],
  run?: ClaimedRun,
): Promise<ClaimedRun["run"]> {
  const held = run ?? (await at.start());
  const waits = keys.map((key) => openWait(key, toCallbackEvent(key), { inMs: FOREVER }));
  await at.end(held, parkIn(FOREVER), waits);
  return held.run;
}

/** All pages. */
async function callbacksOf(at: Scene, asked: Partial<CallbacksRequest> = {}) {
  const found: OpenCallback[] = [];
  let after: CallbackPosition | null = null;
  let pageCount = 0;
  do {
    const page = await at.store.listCallbacks({
      workflowNames: [at.workflowName],
      statuses: ["queued", "running", "waiting", "paused"],
      pageSize: 100,
      looked: 200,
      ...asked,
      after,
    });
    expect(page.items.length).toBeLessThanOrEqual(asked.pageSize ?? 100);
    expect(page.isIncomplete && page.next === null).toBe(false);
    found.push(...page.items);
    after = page.next;
    pageCount += 1;
  } while (after !== null);
  return { found, keys: found.map(({ stepKey }) => stepKey), pageCount };
}

export function describeOverview(scene: SceneSource): void {
  describe("measureActivity", () => {
    test("S8-008 what was created, started and ended stands in the bucket of its instant", async () => {
      const at = scene();
      await toNextMinute(at);
      const held: { readonly outcome: RunOutcome; readonly run: ClaimedRun }[] = [];
      for (const outcome of [COMPLETE, COMPLETE, FAILED])
        held.push({ outcome, run: await at.start() });
      const late = await at.create();
      await toNextMinute(at);
      for (const { run, outcome } of held) await at.end(run, outcome);
      await at.control(late.instanceId, "terminate");
      const { now, buckets, lookedFrom } = await measure(at);
      expect(buckets).toHaveLength(5);
      expect(buckets.map((bucket) => bucket.at % MINUTE)).toEqual([0, 0, 0, 0, 0]);
      expect(buckets.at(-1)?.at).toBe(Math.floor(now / MINUTE) * MINUTE);
      const nothing = { created: 0, complete: 0, errored: 0, terminated: 0, started: 0 };
      expect(buckets.slice(0, 3)).toMatchObject([nothing, nothing, nothing]);
      expect(buckets[3]).toMatchObject({ ...nothing, created: 4, started: 3 });
      expect(buckets[4]).toMatchObject({ ...nothing, complete: 2, errored: 1, terminated: 1 });
      expect(buckets[4]?.waitMs).toBeNull();
      expect(lookedFrom).toBeNull();
    });

    test("S8-008 how long first claims were waited for is told by half, by 95 of 100 and by all of them", async () => {
      const at = scene();
      await toNextMinute(at);
      for (const count of [1, 18, 1]) {
        await at.store.create(Array.from({ length: count }, () => at.newInstance()));
        await at.clock.advance(1000);
      }
      const before = await at.store.now();
      const { runs } = await at.claim();
      expect(runs).toHaveLength(20);
      const bucket = (await measure(at)).buckets.at(-1);
      expect(bucket?.started).toBe(20);
      const passed = (await at.store.now()) - before;
      for (const [seen, expected] of [
        [bucket?.waitMs?.median, 2000],
        [bucket?.waitMs?.p95, 2000],
        [bucket?.waitMs?.longest, 3000],
      ] as const) {
        expect(seen).toBeGreaterThanOrEqual(expected);
        expect(seen).toBeLessThan(expected + 1000 + passed);
      }
      // A step that runs again has waited for nothing.
      await at.end(runs[0] as ClaimedRun, COMPLETE);
      await at.clock.advance(1000);
      await at.control((runs[0] as ClaimedRun).run.instanceId, "restart");
      await at.claimOne();
      const again = (await measure(at, { bucketMs: 60 * MINUTE })).buckets;
      expect(again.reduce((sum, { started }) => sum + started, 0)).toBe(19);
    });

    test("S8-008 no more than asked for is looked at, and it says from when on", async () => {
      const at = scene();
      const made: InstanceRecord[] = [];
      for (let count = 0; count < 4; count += 1) {
        made.push(await at.create());
        await at.clock.advance(10);
      }
      expect((await measure(at, { looked: 5, walked: 5 })).lookedFrom).toBeNull();
      const { lookedFrom, buckets } = await measure(at, { looked: 2, bucketMs: 60 * MINUTE });
      expect(lookedFrom).toBe(made[2]?.createdAt);
      expect(buckets.reduce((sum, { created }) => sum + created, 0)).toBe(2);
    });

    test("S8-008 what is due is counted by workflow, up to a bound, and since when", async () => {
      const at = scene();
      const other = `X${newId()}`;
      const first = await at.create();
      await at.clock.advance(1000);
      await at.store.create([
        at.newInstance(),
        at.newInstance({ workflowName: other }),
        at.newInstance({ start: { inMs: MINUTE } }),
      ]);
      const workflowNames = [at.workflowName, other, "Nobody"];
      const { due } = await measure(at, { workflowNames });
      const sorted = due.toSorted((a, b) => b.count - a.count);
      expect(sorted).toMatchObject([
        { workflowName: at.workflowName, count: 2, isCapped: false, oldestAt: first.createdAt },
        { workflowName: other, count: 1, isCapped: false },
      ]);
      const [capped] = (await measure(at, { counted: 1 })).due;
      expect(capped).toMatchObject({ count: 1, isCapped: true, oldestAt: first.createdAt });
      await at.claim();
      expect((await measure(at)).due).toEqual([]);
    });

    test("S8-008 of workflows that nobody has started there is nothing", async () => {
      const none = await measure(scene(), { workflowNames: ["Nobody"] });
      expect(none).toMatchObject({ due: [], lookedFrom: null });
      expect(none.buckets.map(({ created }) => created)).toEqual([0, 0, 0, 0, 0]);
    });
  });

  describe("listLeases", () => {
    test("S8-008 tells who holds which run until when, and not by which token", async () => {
      const at = scene();
      const life = newId();
      const named = toClaimToken({ runnerId: "pod-0", life, runner: "pod-0" }, newId());
      const nameless = toClaimToken({ runnerId: null, life, runner: "k3f9~@x" }, newId());
      const taken: ClaimedRun[] = [];
      for (const token of [named, nameless, newId()]) {
        await at.create();
        taken.push(await at.claimOne({ token }));
        await at.clock.advance(10);
      }
      await at.create();
      const { now, leases, isCapped } = await at.store.listLeases({
        workflowNames: [at.workflowName],
        limit: 4,
      });
      expect(isCapped).toBe(false);
      expect(leases).toEqual(
        taken.map(({ run }, index) => ({
          ...run,
          runner: ["pod-0", "k3f9~@x", null][index],
          until: expect.any(Number) as number,
          attempts: 1,
        })),
      );
      for (const { until } of leases) {
        expect(until).toBeGreaterThan(now);
        expect(until).toBeLessThanOrEqual(now + LEASE_MS);
      }
      await at.end(taken[0] as ClaimedRun, COMPLETE);
      const left = await at.store.listLeases({ workflowNames: [at.workflowName], limit: 4 });
      expect(left.leases.map(({ instanceId }) => instanceId)).toEqual(
        taken.slice(1).map(({ run }) => run.instanceId),
      );
    });

    test("S8-008 leases that are over stay until somebody takes the run, and come first", async () => {
      const at = scene();
      const lost = await at.start();
      await at.clock.advance(LEASE_MS + 1);
      const other = { ...at, workflowName: `X${newId()}` };
      await at.store.create([at.newInstance({ workflowName: other.workflowName })]);
      await at.claim({ workflowNames: [other.workflowName] });
      const workflowNames = [other.workflowName, at.workflowName];
      const list = () => at.store.listLeases({ workflowNames, limit: 10 });
      const { now, leases } = await list();
      expect(leases.map(({ until }) => until <= now)).toEqual([true, false]);
      expect(leases[0]).toMatchObject({ ...lost.run, attempts: 1 });
      await at.claim();
      const taken = (await list()).leases.find(
        ({ workflowName }) => workflowName === at.workflowName,
      );
      expect(taken).toMatchObject({ ...lost.run, attempts: 2 });
    });

    test("S8-008 gives as many of each workflow as were asked for, those that end first", async () => {
      const at = scene();
      const held: ClaimedRun[] = [];
      for (let count = 0; count < 3; count += 1) {
        held.push(await at.start());
        await at.clock.advance(10);
      }
      const { leases, isCapped } = await at.store.listLeases({
        workflowNames: [at.workflowName, "Nobody"],
        limit: 2,
      });
      expect(isCapped).toBe(true);
      expect(leases.map(({ instanceId }) => instanceId)).toEqual(
        held.slice(0, 2).map(({ run }) => run.instanceId),
      );
    });
  });

  describe("listCallbacks", () => {
    test("S8-008 finds open callbacks of the oldest instances first, page by page", async () => {
      const at = scene();
      const runs: ClaimedRun["run"][] = [];
      for (const keys of [["a"], ["b", "c", "d"], ["e"]]) {
        runs.push(await waitForCallback(at, keys));
        await at.clock.advance(10);
      }
      for (const pageSize of [1, 2, 100]) {
        const { found, keys } = await callbacksOf(at, { pageSize });
        expect(keys).toEqual(["a", "b", "c", "d", "e"]);
        expect(found[0]).toMatchObject({ ...runs[0], status: "waiting", name: "a" });
      }
      await at.control(runs[0]?.instanceId ?? "", "pause");
      expect((await callbacksOf(at)).found[0]).toMatchObject({ status: "paused", stepKey: "a" });
      await at.control(runs[1]?.instanceId ?? "", "terminate");
      expect((await callbacksOf(at)).keys).toEqual(["a", "e"]);
      expect((await callbacksOf(at, { workflowNames: ["Nobody"] })).keys).toEqual([]);
      expect((await callbacksOf(at, { statuses: ["paused"] })).keys).toEqual(["a"]);
    });

    test("S8-008 passes other waits, callbacks that were used, and those of earlier runs", async () => {
      const at = scene();
      const held = await at.start();
      const others = [
        openWait("event", "go", { inMs: FOREVER }),
        openWait("named like one", "callback", { inMs: FOREVER }),
        openWait("of another", toCallbackEvent("x"), { inMs: FOREVER }),
        step("done", { type: "waitForEvent", waitEventType: toCallbackEvent("done") }),
      ];
      await at.commitHeld(held, { changes: others });
      const run = await waitForCallback(at, ["used", "open"], held);
      expect((await callbacksOf(at)).keys.toSorted()).toEqual(["open", "used"]);
      const type = toCallbackEvent("used");
      const callback = { runNumber: run.runNumber, stepKey: "used" };
      await at.send(run.instanceId, type, `1`, { eventId: type, callback });
      expect((await callbacksOf(at)).keys).toEqual(["open"]);
      await at.control(run.instanceId, "restart");
      expect((await callbacksOf(at)).keys).toEqual([]);
    });

    test("S8-008 what is rare is found behind thousands that are looked at, by going on", async () => {
      const at = scene();
      await waitForCallback(at, ["early"]);
      await at.clock.advance(1);
      for (let round = 0; round < 6; round += 1)
        await at.store.create(
          Array.from({ length: 250 }, () => at.newInstance({ start: { inMs: FOREVER } })),
        );
      await at.clock.advance(1);
      await waitForCallback(at, ["late"]);
      expect((await callbacksOf(at, { pageSize: 10 })).keys).toEqual(["early", "late"]);
    }, 240_000);
  });
}
