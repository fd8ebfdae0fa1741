/** Pages of lists and histories, bounded in bytes. */
import { describe, expect, test } from "vitest";
import { type HistoryPage, PAGE_BYTES, type PagePosition } from "../../ports/pages.ts";
import { step } from "./builders.ts";
import type { Scene, SceneSource } from "./scene.ts";

/** A JSON text of this many bytes. */
const text = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;

interface Walk {
  readonly ids: readonly string[];
  readonly pages: number;
  /** The largest sum of payloads on one page. */
  readonly largest: number;
}

async function walkHistory(
  at: Scene,
  run: Parameters<Scene["history"]>[0],
  list: "steps" | "events",
): Promise<Walk> {
  const ids: string[] = [];
  let after: PagePosition | null = null;
  let [pages, largest] = [0, 0];
  do {
    const positions = { stepsAfter: null, eventsAfter: null, [`${list}After`]: after };
    const history: HistoryPage = await at.store.loadHistory({
      ...run,
      ...positions,
      pageSize: 100,
    });
    const page = history[list];
    ids.push(...page.items.map(({ id }) => id));
    const texts =
      list === "steps"
        ? history.steps.items.map(({ result }) => result)
        : history.events.items.map(({ payload }) => payload);
    largest = Math.max(
      largest,
      texts.reduce((sum, one) => sum + (one?.length ?? 0), 0),
    );
    pages += 1;
    after = page.next;
  } while (after !== null);
  return { ids, pages, largest };
}

export function describePageBytes(scene: SceneSource): void {
  describe("pages in bytes", () => {
    test("S5-012 a history page ends before it is too large, and the next goes on from there", async () => {
      const at = scene();
      const run = await at.start();
      for (let count = 0; count < 12; count += 1) {
        await at.commitHeld(run, { changes: [step(`s${count}`, { result: text(150_000) })] });
        await at.send(run.run.instanceId, "e", text(150_000));
        await at.clock.advance(1);
      }
      for (const list of ["steps", "events"] as const) {
        const { ids, pages, largest } = await walkHistory(at, run.run, list);
        expect([ids.length, new Set(ids).size, pages]).toEqual([12, 12, 4]);
        expect(largest).toBeLessThanOrEqual(PAGE_BYTES / 2);
      }
    });

    test("S5-012 an item larger than a page is a page of its own", async () => {
      const at = scene();
      const run = await at.start();
      for (const key of ["a", "b", "c"]) {
        await at.commitHeld(run, { changes: [step(key, { result: text(900_000) })] });
        await at.clock.advance(1);
      }
      expect(await walkHistory(at, run.run, "steps")).toMatchObject({ pages: 3, largest: 900_000 });
    });

    test("S5-012 payloads above a bound are left out by their size, and the page holds more for it", async () => {
      const at = scene();
      const run = await at.start();
      const changes = ["a", "b", "c", "d"].map((key) => step(key, { result: text(400_000) }));
      await at.commitHeld(run, { changes: [...changes, step("small", { result: text(100) })] });
      await at.send(run.run.instanceId, "e", text(400_000));
      await at.send(run.run.instanceId, "e", null);
      const page = await at.store.loadHistory({
        ...run.run,
        pageSize: 100,
        stepsAfter: null,
        eventsAfter: null,
        maxPayloadBytes: 1000,
      });
      expect(page.steps.next).toBeNull();
      const steps = new Map(page.steps.items.map((item) => [item.stepKey, item]));
      expect(steps.get("a")).toMatchObject({ result: null, omittedBytes: 400_000 });
      expect(steps.get("small")?.result).toBe(text(100));
      expect(steps.get("small")).not.toHaveProperty("omittedBytes");
      const sizes = page.events.items.map((item) => item.omittedBytes ?? 0);
      expect(new Set(sizes)).toEqual(new Set([400_000, 0]));
    });

    test("S5-012 a list of instances ends before it is too large, and leaves out large outputs", async () => {
      const at = scene();
      for (let count = 0; count < 5; count += 1) {
        const run = await at.start({ params: text(500_000) });
        await at.end(run, { kind: "complete", output: text(400_000) });
        await at.clock.advance(1);
      }
      const request = { workflowName: at.workflowName, status: "complete", pageSize: 100 } as const;
      const seen: string[] = [];
      let after: PagePosition | null = null;
      do {
        const page = await at.store.listInstances({ ...request, after });
        expect(page.items.length).toBeLessThanOrEqual(2);
        expect(page.items.every(({ params }) => params === null)).toBe(true);
        seen.push(...page.items.map(({ instanceId }) => instanceId));
        after = page.next;
      } while (after !== null);
      expect(new Set(seen).size).toBe(5);
      expect(seen).toHaveLength(5);
      const small = await at.store.listInstances({
        ...request,
        after: null,
        maxPayloadBytes: 1000,
      });
      expect(small.next).toBeNull();
      expect(small.items.map(({ output, omittedBytes }) => [output, omittedBytes])).toEqual(
        Array.from({ length: 5 }, () => [null, 400_000]),
      );
    });
  });
}
