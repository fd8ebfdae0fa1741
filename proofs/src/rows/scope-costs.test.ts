/** What scopes cost, on each store: commits of a wide join, and what a claim reads of a loop that has gone on for long. */
import { ofToday } from "@escapement-internal/test-servers";
import {
  defineWorkflow,
  Loop,
  type WorkflowDefinition,
  type WorkflowStep,
} from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COUNTED_STORES, type CountedStores } from "./counted-stores.ts";

const BRANCHES = 100;
const ITERATIONS = 1500;
/** Claims that are compared, at either end. A multiple of `commitEvery`: what is read goes up and down with the position. */
const WINDOW = 40;

const define = (run: (step: WorkflowStep) => unknown): WorkflowDefinition =>
  defineWorkflow({ name: "w" }, (_event, step) => run(step));

const [memory, ...databases] = COUNTED_STORES;
/** In memory, and on two of the databases each day. */
const STORES = [...(memory === undefined ? [] : [memory]), ...ofToday(databases, 2)];

describe.each(STORES)("scopes on $name", ({ isAvailable, start }) => {
  let stores: CountedStores | undefined;
  beforeAll(async () => {
    if (isAvailable) stores = await start();
  });
  afterAll(() => stores?.remove());

  /** Runs it to its end. @returns how many commits it took, and what its claims have read */
  async function play(W: WorkflowDefinition, untilMs: number) {
    if (stores === undefined) throw new RangeError("the store was not opened");
    const { takeCounts, ...store } = await stores.open();
    const harness = createHarness({ workflows: { W }, store });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime(untilMs);
    const { status, output } = await harness.status("w", "x");
    expect(status).toBe("complete");
    const { steps } = await harness.history("w", "x");
    return { output, rows: steps.length, ...takeCounts() };
  }

  it.skipIf(!isAvailable)(
    `S6-002 a join of ${BRANCHES} branches costs the commits of its longest one`,
    async () => {
      const longest = async (own: WorkflowStep): Promise<string> => {
        for (const name of ["a", "b", "c", "d"]) await own.do(name, () => name);
        return "long";
      };
      const alone = await play(
        define((step) => longest(step)),
        1000,
      );
      const branches = Object.fromEntries(
        Array.from({ length: BRANCHES - 1 }, (_, index) => [
          `b${index}`,
          async (own: WorkflowStep) => {
            for (let n = 0; n <= index % 3; n += 1) await own.do("work", () => n);
            return index;
          },
        ]),
      );
      const joined = await play(
        define((step) => step.join("j", { ...branches, longest })),
        1000,
      );
      expect(Object.keys(joined.output as object)).toHaveLength(BRANCHES);
      expect(alone.commits).toBeGreaterThanOrEqual(4);
      expect(joined.commits).toBe(alone.commits);
    },
    120_000,
  );

  it.skipIf(!isAvailable)(
    "S6-006 a claim reads as many rows and bytes in the last iterations as after the thousandth",
    async () => {
      const isSeen = (n: number): boolean =>
        (n >= 1000 && n < 1000 + WINDOW) || n >= ITERATIONS - WINDOW;
      const { output, rows, claims } = await play(
        define((step) =>
          step.loop("watch", {
            state: 0,
            keep: 10,
            run: async (own, count) => {
              await own.do("check", () => "x".repeat(100));
              if (isSeen(count)) await own.sleep("pause", 1000);
              return count + 1 === ITERATIONS ? Loop.break(count + 1) : Loop.continue(count + 1);
            },
          }),
        ),
        2 * WINDOW * 2000,
      );
      expect(output).toBe(ITERATIONS);
      expect(rows, "what is kept").toBeLessThan(100);
      // The first claim is that of the start, and each of the others of an iteration that has slept.
      const [early, late] = [claims.slice(1, 1 + WINDOW), claims.slice(-WINDOW)];
      expect(claims.length).toBeGreaterThanOrEqual(1 + 2 * WINDOW);
      for (const of of ["rows", "bytes"] as const) {
        const sum = (reads: typeof claims): number =>
          reads.reduce((all, read) => all + read[of], 0);
        expect(sum(early), of).toBeGreaterThan(0);
        expect(sum(late) / sum(early), of).toBeGreaterThan(0.9);
        expect(sum(late) / sum(early), of).toBeLessThan(1.1);
      }
    },
    300_000,
  );
});
