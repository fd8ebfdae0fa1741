/** What a claim, a commit and a read return for a run with many events. */
import { describe, expect, test } from "vitest";
import { EVENT_PAGE, type EventPage } from "../../ports/run-pages.ts";
import { eventConsumed, openWait } from "./builders.ts";
import { parkIn, type Scene, type SceneSource } from "./scene.ts";

/** A JSON text of this many bytes. */
const text = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;

async function sendMany(
  { create, send }: Scene,
  types: readonly string[],
  payload: string | null = null,
): Promise<string> {
  const { instanceId } = await create();
  for (const type of types) await send(instanceId, type, payload);
  return instanceId;
}

const many = (count: number, type = "a"): string[] => Array.from({ length: count }, () => type);

/** A claim for one run has its own statement. */
const LIMITS = [1, 100];

export function describeEventPages(scene: SceneSource): void {
  describe("pages of events", () => {
    test.each(LIMITS)(
      "S5-012 a claim of up to %i runs brings no more than a page of rows, the oldest, and says that there are more",
      async (limit) => {
        const at = scene();
        await sendMany(at, [...many(EVENT_PAGE.rows), "beyond", "beyond"]);
        const run = await at.claimOne({ limit });
        expect(run.events).toHaveLength(EVENT_PAGE.rows);
        expect(run.events.every(({ type }) => type === "a")).toBe(true);
        expect(run.hasMoreEvents).toBe(true);
      },
    );

    test.each(LIMITS)(
      "S5-012 a claim of up to %i runs brings no more than a page of bytes, at least the first event",
      async (limit) => {
        const at = scene();
        await sendMany(at, many(6), text(100_000));
        const run = await at.claimOne({ limit });
        expect([run.events.length, run.hasMoreEvents]).toEqual([2, true]);
        const large = scene();
        await sendMany(large, many(2), text(900_000));
        const other = await large.claimOne({ limit });
        expect([other.events.length, other.hasMoreEvents]).toEqual([1, true]);
        expect(other.events[0]?.payload).toHaveLength(900_000);
      },
    );

    test("S5-012 over many runs a claim brings a bounded sum; the others come without events and say so", async () => {
      const at = scene();
      for (let count = 0; count < 12; count += 1) await sendMany(at, many(1), text(1_000_000));
      const { runs } = await at.claim();
      expect(runs).toHaveLength(12);
      const bytes = runs.flatMap(({ events }) => events.map(({ payload }) => payload?.length ?? 0));
      expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(
        EVENT_PAGE.bytesOfCall,
      );
      expect(bytes).toHaveLength(8);
      for (const run of runs) expect(run.hasMoreEvents).toBe(run.events.length === 0);
    });

    test.each(LIMITS)(
      "S5-012 a full page that is all there is says so, to a claim of up to %i runs",
      async (limit) => {
        const at = scene();
        await sendMany(at, many(EVENT_PAGE.rows));
        expect(await at.claimOne({ limit })).toMatchObject({ hasMoreEvents: false });
      },
    );

    test("S5-012 a commit reads a page above what is known, then the next", async () => {
      const at = scene();
      const run = await at.start();
      for (const type of many(EVENT_PAGE.rows + 5)) await at.send(run.run.instanceId, type);
      const first = await at.commitHeld(run, { knownEventSequence: 0 });
      expect([first.events.length, first.hasMoreEvents]).toEqual([EVENT_PAGE.rows, true]);
      const known = first.events.at(-1)?.sequence ?? 0;
      const second = await at.commitHeld(run, {
        knownEventSequence: known,
        knownEndRequest: null,
        changes: [eventConsumed(first.events[0]?.id ?? "", "w")],
      });
      expect([second.events.length, second.hasMoreEvents]).toEqual([5, false]);
      const third = await at.commitHeld(run, { readsEvents: false });
      expect([third.events, third.hasMoreEvents]).toEqual([[], false]);
    });

    test("S5-012 commits of many runs in one call bring each its own page", async () => {
      const at = scene();
      await sendMany(at, []);
      await sendMany(at, []);
      const { runs } = await at.claim();
      for (const [index, { run }] of runs.entries())
        for (const type of many(index === 0 ? EVENT_PAGE.rows + 1 : 3, `t${index}`))
          await at.send(run.instanceId, type);
      const results = await at.store.commit(
        runs.map((run) => ({
          lease: run.lease,
          run: run.run,
          changes: [],
          outcome: { kind: "continue" },
          diverged: [],
          clearsLostLeases: false,
          number: 1,
          renewLeaseMs: null,
          readsEvents: true,
          knownEventSequence: 0,
          knownEndRequest: null,
        })),
      );
      expect(results).toMatchObject([
        { kind: "committed", events: { length: EVENT_PAGE.rows }, hasMoreEvents: true },
        { kind: "committed", events: [{ type: "t1" }, {}, {}], hasMoreEvents: false },
      ]);
    });

    test("S5-012 events of a type are read page by page, behind any number of others", async () => {
      const at = scene();
      const types = [
        ...many(EVENT_PAGE.rows + 20, "noise"),
        ...many(EVENT_PAGE.rows + 3, "wanted"),
      ];
      await sendMany(at, types);
      const { run, events } = await at.claimOne();
      const pages: EventPage[] = [];
      let afterSequence = events.at(-1)?.sequence ?? 0;
      do {
        const page = await at.store.loadEvents({
          ...run,
          types: ["wanted", "none"],
          afterSequence,
        });
        pages.push(page);
        expect(page.upTo).toBeGreaterThanOrEqual(page.events.at(-1)?.sequence ?? 0);
        afterSequence = page.upTo;
      } while (pages.at(-1)?.hasMore === true);
      expect(pages.map((page) => page.events.length)).toEqual([EVENT_PAGE.rows, 3]);
      expect(new Set(pages.flatMap((page) => page.events.map(({ type }) => type)))).toEqual(
        new Set(["wanted"]),
      );
      const none = await at.store.loadEvents({ ...run, types: ["none"], afterSequence: 0 });
      expect(none).toMatchObject({ events: [], hasMore: false });
      expect(none.upTo).toBeGreaterThanOrEqual(afterSequence);
    });

    test("S5-012 a run parks on what it has read: what came before is not missed, what comes after is", async () => {
      const at = scene();
      await sendMany(at, many(EVENT_PAGE.rows + 1, "noise"));
      const run = await at.claimOne();
      const { upTo } = await at.store.loadEvents({ ...run.run, types: ["w"], afterSequence: 0 });
      await at.send(run.run.instanceId, "w");
      const parked = await at.commitHeld(run, {
        outcome: parkIn(60_000),
        changes: [openWait("wait", "w", null)],
        knownEventSequence: upTo,
        knownEndRequest: null,
      });
      expect(parked.dueAt).toBe(await at.clock.now());
      const again = await at.claimOne();
      const read = await at.store.loadEvents({ ...again.run, types: ["w"], afterSequence: 0 });
      expect(read.events).toHaveLength(1);
      const asleep = await at.commitHeld(again, {
        outcome: parkIn(60_000),
        knownEventSequence: read.upTo,
        knownEndRequest: null,
      });
      expect(asleep.dueAt).toBe((await at.clock.now()) + 60_000);
    });
  });
}
