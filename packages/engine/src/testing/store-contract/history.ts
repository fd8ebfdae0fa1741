/** `loadHistory`: steps and events of one run, oldest first, page by page. */
import { describe, expect, test } from "vitest";
import type { RunRef } from "../../core/model/records.ts";
import type { HistoryPage, PagePosition } from "../../ports/pages.ts";
import { newId, step } from "./builders.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";

async function pagesOf(
  { store }: Scene,
  run: RunRef,
  options: { readonly pageSize: number; readonly list: "steps" | "events" },
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: PagePosition | null = null;
  do {
    const positions = { stepsAfter: null, eventsAfter: null, [`${options.list}After`]: after };
    const page: HistoryPage = await store.loadHistory({
      ...run,
      ...positions,
      pageSize: options.pageSize,
    });
    pages.push(page[options.list].items.map((item) => item.id));
    after = page[options.list].next;
  } while (after !== null);
  return pages;
}

export function describeHistory(scene: SceneSource): void {
  describe("loadHistory", () => {
    test("a run without history has two empty pages", async () => {
      const { start, history } = scene();
      const { run } = await start();
      const empty = { items: [], next: null };
      expect(await history(run)).toEqual({ steps: empty, events: empty });
    });

    test("steps by creation, row id breaking ties, no row twice and none missing (S2-010, S2-036)", async () => {
      const at = scene();
      const run = await at.start();
      const ids = Array.from({ length: 9 }, () => newId());
      for (const group of [ids.slice(0, 2), ids.slice(2, 7), ids.slice(7)]) {
        await at.commitHeld(run, {
          changes: group.toReversed().map((id) => step(`key-${id}`, { id })),
        });
        await at.clock.advance(1);
      }
      for (const pageSize of [1, 2, 3, 9, 100]) {
        const pages = await pagesOf(at, run.run, { pageSize, list: "steps" });
        expect(pages.flat()).toEqual(ids);
        expect(pages).toHaveLength(Math.ceil(ids.length / pageSize));
      }
    });

    test("events by creation, row id breaking ties, no row twice and none missing (S2-010, S2-036)", async () => {
      const at = scene();
      const { instanceId, workflowName, runNumber } = await at.create();
      const ids = Array.from({ length: 7 }, () => newId());
      for (const group of [ids.slice(0, 1), ids.slice(1, 5), ids.slice(5)]) {
        for (const eventRowId of group.toReversed()) {
          await at.send(instanceId, "go", null, { eventRowId });
        }
        await at.clock.advance(1);
      }
      const run = { workflowName, instanceId, runNumber };
      for (const pageSize of [1, 2, 3, 7, 100]) {
        expect((await pagesOf(at, run, { pageSize, list: "events" })).flat()).toEqual(ids);
      }
    });

    test("steps and events advance independently", async () => {
      const at = scene();
      const run = await at.start();
      await at.commitHeld(run, { changes: ["a", "b", "c"].map((key) => step(key)) });
      await at.send(run.run.instanceId, "one");
      await at.send(run.run.instanceId, "two");
      const request = { ...run.run, pageSize: 2 };
      const first = await at.store.loadHistory({ ...request, stepsAfter: null, eventsAfter: null });
      expect([first.steps.next === null, first.events.next === null]).toEqual([false, true]);
      const second = await at.store.loadHistory({
        ...request,
        stepsAfter: first.steps.next,
        eventsAfter: null,
      });
      expect([second.steps.items.length, second.events.items.length]).toEqual([1, 2]);
    });

    test("each run has its own history (S0-123)", async () => {
      const { start, end, control, claimOne, history } = scene();
      const first = await start();
      await end(first, COMPLETE, [step("one")]);
      await control(first.run.instanceId, "restart");
      await end(await claimOne(), COMPLETE, [step("two")]);
      for (const [runNumber, key] of [
        [1, "one"],
        [2, "two"],
      ] as const) {
        const { steps } = await history({ ...first.run, runNumber });
        expect(steps.items.map((item) => item.stepKey)).toEqual([key]);
      }
      expect((await history({ ...first.run, runNumber: 3 })).steps.items).toEqual([]);
    });

    test("a page size of 0 reads nothing", async () => {
      const at = scene();
      const run = await at.start();
      await at.commitHeld(run, { changes: [step("a")] });
      const page = await at.store.loadHistory({
        ...run.run,
        pageSize: 0,
        stepsAfter: null,
        eventsAfter: null,
      });
      expect([page.steps.items, page.events.items]).toEqual([[], []]);
    });
  });
}
