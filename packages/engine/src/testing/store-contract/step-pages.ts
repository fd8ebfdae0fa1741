/** What a claim reads of runs with long histories, and how the rest is read. */
import { describe, expect, test } from "vitest";
import { utf8Size } from "../../core/plain-codec.ts";
import type { HistoryStep } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { ITEM_BYTES, STEP_PAGE_BYTES } from "../../ports/run-pages.ts";
import { openSleep, step } from "./builders.ts";
import { LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

const MIB = 1_048_576;
/** A JSON text of so many bytes; not all characters are of one. */
const text = (bytes: number): string => `"${"é".repeat((bytes - 2) / 2)}"`;

/** Leaves a run due, with so many results of 1 MiB and, made last, one sleep that is open. */
async function makeLong(at: Scene, run: ClaimedRun, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const order = { settledOrder: index + 1, result: text(MIB) };
    await at.commitHeld(run, { changes: [step(`s${String(index).padStart(2, "0")}`, order)] });
  }
  await at.end(run, parkIn(0), [openSleep("nap", { inMs: 0 })]);
}

const stepsOf = ({
  settled,
  open,
}: Pick<ClaimedRun, "settled" | "open">): readonly HistoryStep[] => [...settled, ...open];

const bytesOf = (runs: readonly Pick<ClaimedRun, "settled" | "open">[]): number =>
  runs.flatMap(stepsOf).reduce((sum, { result }) => sum + ITEM_BYTES + utf8Size(result ?? ""), 0);

/** Reads all that the claim has left, and how many calls that took. */
async function readOn({ store }: Scene, run: ClaimedRun): Promise<[string[], number]> {
  if (run.isWhole) return [stepsOf(run).map(({ stepKey }) => stepKey), 0];
  expect(stepsOf(run)).toEqual([]);
  const keys: string[] = [];
  let calls = 0;
  for (let after: number | null = 0; after !== null; calls += 1) {
    const page = await store.loadSteps({ ...run.run, after });
    expect(bytesOf([page])).toBeLessThanOrEqual(STEP_PAGE_BYTES);
    keys.push(...stepsOf(page).map(({ stepKey }) => stepKey));
    after = page.stepsAfter;
  }
  return [keys, calls];
}

export function describeStepPages(scene: SceneSource): void {
  describe("pages of steps", () => {
    test("S5-012 a claim brings a short history whole", async () => {
      const at = scene();
      const run = await at.start();
      await at.end(run, parkIn(0), [step("a"), openSleep("nap", { inMs: 0 })]);
      const again = await at.claimOne();
      expect(again).toMatchObject({
        settled: [{ stepKey: "a" }],
        open: [{ stepKey: "nap" }],
        isWhole: true,
      });
    });

    test.each([1, 100])(
      "S5-012 a claim of up to %i runs brings nothing of a long history, which is read page by page",
      async (limit) => {
        const at = scene();
        await makeLong(at, await at.start(), 20);
        const run = await at.claimOne({ limit });
        expect(run.isWhole).toBe(false);
        const [keys, calls] = await readOn(at, run);
        expect(calls).toBe(3);
        expect(keys).toHaveLength(21);
        expect(new Set(keys).size).toBe(21);
        expect(keys.at(-1)).toBe("nap");
      },
    );

    test("S5-012 what a lease had added when it ended is counted too", async () => {
      const at = scene();
      await at.end(await at.start(), parkIn(0), [step("before")]);
      const run = await at.claimOne();
      for (let index = 0; index < 20; index += 1)
        await at.commitHeld(run, {
          changes: [step(`s${index}`, { settledOrder: index + 2, result: text(MIB) })],
        });
      await at.clock.advance(LEASE_MS + 1);
      const again = await at.claimOne();
      expect(again.isWhole).toBe(false);
      expect((await readOn(at, again))[0]).toHaveLength(21);
    });

    test("S5-012 over many runs a claim brings a bounded sum; the others say that there is more", async () => {
      const at = scene();
      const started = [await at.start(), await at.start(), await at.start(), await at.start()];
      for (const run of started) await makeLong(at, run, 3);
      const { runs } = await at.claim();
      expect(runs).toHaveLength(4);
      expect(bytesOf(runs)).toBeLessThanOrEqual(STEP_PAGE_BYTES);
      expect(runs.filter(({ isWhole }) => isWhole)).toHaveLength(2);
      for (const run of runs) expect((await readOn(at, run))[0]).toHaveLength(4);
    });

    test("S5-012 a run that is too long for any claim takes no place from the others", async () => {
      const at = scene();
      const started = [await at.start(), await at.start(), await at.start()];
      for (const [index, run] of started.entries()) await makeLong(at, run, index === 0 ? 9 : 3);
      const { runs } = await at.claim();
      expect(runs.filter(({ isWhole }) => isWhole)).toHaveLength(2);
      for (const run of runs) expect((await readOn(at, run))[0]).toHaveLength(run.isWhole ? 4 : 10);
    });

    test("S5-012 a page tells the database's time, and of a history that has ended nothing", async () => {
      const at = scene();
      const { run } = await at.start();
      const page = await at.store.loadSteps({ ...run, after: 1_000_000_000 });
      expect(page).toMatchObject({ settled: [], open: [], stepsAfter: null });
      expect(Math.abs(page.now - (await at.store.now()))).toBeLessThan(10_000);
    });
  });
}
