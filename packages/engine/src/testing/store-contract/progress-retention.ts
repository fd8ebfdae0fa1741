/** How much of a stream stores keep, and how much of it a page contains. */
import { describe, expect, test } from "vitest";
import { PROGRESS_PAGE_BYTES } from "../../core/progress.ts";
import { made, pairs, readPage, ROOM } from "./progress-scene.ts";
import { commitOf, COMPLETE, type SceneSource } from "./scene.ts";

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

export function describeProgressRetention(source: SceneSource): void {
  describe("what a stream keeps", () => {
    test("S6-017 as many entries as it may, and the newest always", async () => {
      const scene = source();
      const run = await scene.start();
      const retention = { ...ROOM, maxEntries: 3 };
      for (const n of numbers(1, 5))
        await scene.commitHeld(run, { changes: [made(n, { retention })] });
      expect(pairs(await readPage(scene, run))).toEqual(["3:3", "4:4", "5:5"]);
      const many = commitOf(run, { changes: numbers(6, 11).map((n) => made(n, { retention })) });
      // A repeat does not bring back what was removed at once.
      for (const commit of [many, many]) await scene.store.commit([commit]);
      expect(pairs(await readPage(scene, run))).toEqual(["9:9", "10:10", "11:11"]);
      await scene.end(run, COMPLETE, [made(12, { retention: { ...ROOM, maxEntries: 0 } })]);
      expect(pairs(await readPage(scene, run))).toEqual(["12:12"]);
      expect(await readPage(scene, run)).toMatchObject({ newest: 12 });
    });

    test("S6-017 as many bytes as it may, and the newest entry whatever its size", async () => {
      const scene = source();
      const run = await scene.start();
      const retention = { ...ROOM, maxBytes: 30 };
      const value = `"${"é".repeat(4)}"`;
      for (let n = 1; n <= 4; n += 1)
        await scene.commitHeld(run, { changes: [made(n, { retention, value })] });
      expect(pairs(await readPage(scene, run)).map((pair) => pair[0])).toEqual(["2", "3", "4"]);
      const large = JSON.stringify("x".repeat(100));
      await scene.end(run, COMPLETE, [made(0, { retention, value: large })]);
      expect(pairs(await readPage(scene, run))).toEqual([`5:${large}`]);
    });

    test("S6-017 a stream that held more, under another limit, is brought down by what follows, a part with each commit", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.commitHeld(run, { changes: numbers(1, 250).map((n) => made(n)) });
      const retention = { ...ROOM, maxEntries: 10 };
      const counts: number[] = [];
      for (const n of numbers(251, 254)) {
        await scene.commitHeld(run, { changes: [made(n, { retention })] });
        counts.push((await readPage(scene, run)).entries.length);
      }
      expect(counts.at(-1)).toBe(10);
      expect(pairs(await readPage(scene, run, { limit: 1 }))).toEqual(["245:245"]);
      await scene.end(run, COMPLETE);
    });

    test("S6-017 a page has what comes after its cursor, as many entries as asked for", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(
        run,
        COMPLETE,
        numbers(1, 5).map((n) => made(n)),
      );
      expect(pairs(await readPage(scene, run, { limit: 2 }))).toEqual(["1:1", "2:2"]);
      expect(pairs(await readPage(scene, run, { after: 2, limit: 2 }))).toEqual(["3:3", "4:4"]);
      expect(pairs(await readPage(scene, run, { after: 4, limit: 2 }))).toEqual(["5:5"]);
      expect(await readPage(scene, run, { after: 5 })).toMatchObject({ newest: 5, entries: [] });
      expect(pairs(await readPage(scene, run, { after: 2_147_483_647 }))).toEqual([]);
    });

    test("S6-017 a page ends before it has too many bytes, and has one entry at least", async () => {
      const scene = source();
      const run = await scene.start();
      const retention = { ...ROOM, maxBytes: 4 * PROGRESS_PAGE_BYTES };
      const sized = (bytes: number): ReturnType<typeof made> =>
        made(0, { retention, value: JSON.stringify("x".repeat(bytes - 2)) });
      const half = PROGRESS_PAGE_BYTES / 2;
      const sizes = [half, half, PROGRESS_PAGE_BYTES + 1, 10, half];
      await scene.end(run, COMPLETE, sizes.map(sized));
      const pages: number[] = [];
      for (let after = 0; after < sizes.length;) {
        const { entries } = await readPage(scene, run, { after });
        pages.push(entries.length);
        after = entries.at(-1)?.sequence ?? Infinity;
      }
      expect(pages).toEqual([2, 1, 2]);
    });
  });
}
