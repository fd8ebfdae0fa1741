/** `listInstances`: newest first, page by page, also when many rows share an instant. */
import { describe, expect, test } from "vitest";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { newId } from "./builders.ts";
import type { Scene, SceneSource } from "./scene.ts";

/** All pages of a list, as ids. */
async function pagesOf(
  scene: Scene,
  status: InstanceStatusName | null,
  pageSize: number,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: PagePosition | null = null;
  do {
    const page = await scene.store.listInstances({
      workflowName: scene.workflowName,
      status,
      pageSize,
      after,
    });
    pages.push(page.items.map((instance) => instance.instanceId));
    after = page.next;
  } while (after !== null);
  return pages;
}

/** Creates instances with the same instant in groups; the ids, oldest first by (instant, row id). */
async function createGroups({ create, clock }: Scene, sizes: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const size of sizes) {
    const rowIds = Array.from({ length: size }, () => newId());
    const created = new Map<string, string>();
    // Not in the order of the row ids, so that only the sort can put them right.
    for (const instanceRowId of rowIds.toReversed()) {
      created.set(instanceRowId, (await create({ instanceRowId })).instanceId);
    }
    ids.push(...rowIds.map((rowId) => created.get(rowId) ?? ""));
    await clock.advance(1);
  }
  return ids;
}

export function describeListInstances(scene: SceneSource): void {
  describe("listInstances", () => {
    test("a workflow without instances has one empty page", async () => {
      expect(await pagesOf(scene(), null, 10)).toEqual([[]]);
    });

    test("newest first, row id breaking ties, no row twice and none missing (S0-139, S2-010, S2-036)", async () => {
      const at = scene();
      const newestFirst = (await createGroups(at, [2, 5, 1])).toReversed();
      for (const pageSize of [1, 2, 3, 8, 100]) {
        const pages = await pagesOf(at, null, pageSize);
        expect(pages.flat()).toEqual(newestFirst);
        expect(pages).toHaveLength(Math.ceil(newestFirst.length / pageSize));
      }
    });

    test("a status is listed by creation too, and only instances that have it (S0-139, S2-036)", async () => {
      const at = scene();
      const ids = await createGroups(at, [3, 2]);
      await at.clock.advance(10);
      await at.control(ids[0] ?? "", "pause");
      await at.control(ids[0] ?? "", "resume");
      await at.control(ids[1] ?? "", "pause");
      const queued = [ids[4], ids[3], ids[2], ids[0]];
      for (const pageSize of [1, 2, 4])
        expect((await pagesOf(at, "queued", pageSize)).flat()).toEqual(queued);
      expect(await pagesOf(at, "paused", 10)).toEqual([[ids[1]]]);
      expect(await pagesOf(at, "complete", 10)).toEqual([[]]);
    });

    test("S2-037 instances that differ in their instant alone page by it alone", async () => {
      const at = scene();
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        ids.unshift((await at.create()).instanceId);
        await at.clock.advance(1);
      }
      expect((await pagesOf(at, null, 2)).map((page) => page.length)).toEqual([2, 2, 1]);
      expect((await pagesOf(at, null, 2)).flat()).toEqual(ids);
    });

    test("instances of other workflows are not listed", async () => {
      const at = scene();
      const { instanceId } = await at.create();
      await at.store.create([at.newInstance({ workflowName: `O${newId()}` })]);
      expect(await pagesOf(at, null, 10)).toEqual([[instanceId]]);
    });

    test("items are records without their params", async () => {
      const at = scene();
      const instance = await at.create({ params: "[]" });
      const page = await at.store.listInstances({
        workflowName: at.workflowName,
        status: "queued",
        pageSize: 1,
        after: null,
      });
      expect(page).toEqual({ items: [{ ...instance, params: null }], next: null });
    });

    test("an instance that is created between two pages does not disturb the later page", async () => {
      const at = scene();
      const ids = await createGroups(at, [1, 1, 1]);
      const request = { workflowName: at.workflowName, status: null, pageSize: 2 };
      const first = await at.store.listInstances({ ...request, after: null });
      await at.create();
      const second = await at.store.listInstances({ ...request, after: first.next });
      expect(second.items.map((instance) => instance.instanceId)).toEqual([ids[0]]);
    });

    test("an unknown instance loads as null (S4-002)", async () => {
      const { store, workflowName } = scene();
      expect(await store.loadInstance(workflowName, "nobody")).toBeNull();
    });
  });
}
