/** `findInstances` and `countInstances` by parent and by stuck instances, and counts with a filter. */
import { describe, expect, test } from "vitest";
import { type FindInstancesRequest, STUCK_AFTER_MS } from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { ANYTHING, newId, step } from "./builders.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { COMPLETE, LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";
import { newChild } from "./family.ts";

type Asked = Partial<FindInstancesRequest>;

/** The ids on all pages. */
async function find(scene: Scene, asked: Asked, pageSize = 100): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: PagePosition | null = null;
  do {
    const workflowNames = [scene.workflowName];
    const request = { workflowNames, ...ANYTHING, pageSize, ...asked, after };
    const page = await scene.store.findInstances(request);
    expect(page.items.length).toBeLessThanOrEqual(pageSize);
    ids.push(...page.items.map(({ instanceId }) => instanceId));
    after = page.next;
  } while (after !== null);
  return ids;
}

/** The counts by status that are not 0. */
async function count(scene: Scene, asked: Asked, cap = 1000): Promise<object> {
  const { pageSize: _pageSize, ...filter } = { ...ANYTHING, ...asked };
  const statuses = ["queued", "waiting", "running", "complete", "paused"] as const;
  const workflowNames = [scene.workflowName];
  const counts = await scene.store.countInstances({ ...filter, workflowNames, statuses, cap });
  const found = counts.filter((one) => one.count > 0 || one.isCapped);
  return Object.fromEntries(found.map((one) => [one.status, [one.count, one.isCapped]]));
}

/** Gives a held run this many children, and parks it. */
async function raise(scene: Scene, run: ClaimedRun, size: number) {
  const children = Array.from({ length: size }, (_, index) =>
    newChild(scene, { stepKey: `s${index}` }),
  );
  const changes = children.flatMap((child) => [step(child.stepKey), child]);
  await scene.commitHeld(run, { changes, outcome: parkIn(LEASE_MS) });
  return { parent: run.run, ids: children.map(({ instanceId }) => instanceId).toSorted() };
}

export function describeFindFilters(scene: SceneSource): void {
  describe("findInstances by parent", () => {
    test("S8-001 finds the children of one instance and of no other, page by page, with every other filter", async () => {
      const at = scene();
      // A claim would take the children too.
      const runs = [await at.start(), await at.start()] as const;
      const { parent, ids } = await raise(at, runs[0], 5);
      const other = await raise(at, runs[1], 2);
      for (const pageSize of [1, 2, 5, 100])
        expect((await find(at, { parent }, pageSize)).toSorted()).toEqual(ids);
      expect((await find(at, { parent: other.parent })).toSorted()).toEqual(other.ids);
      const [first = "", second = ""] = ids;
      await at.control(first, "pause");
      expect(await find(at, { parent, statuses: ["paused"] })).toEqual([first]);
      expect((await find(at, { parent, statuses: ["queued"] })).toSorted()).toEqual(ids.slice(1));
      expect(await find(at, { parent, idPrefix: second })).toEqual([second]);
      expect(await find(at, { parent, workflowNames: [`N${newId()}`] })).toEqual([]);
      expect(await find(at, { parent: { ...parent, instanceId: "nobody" } })).toEqual([]);
      expect(await find(at, { parent: { ...parent, workflowName: "nobody" } })).toEqual([]);
      expect(await count(at, { parent })).toEqual({ queued: [4, false], paused: [1, false] });
      expect(await count(at, { parent }, 2)).toEqual({ queued: [2, true], paused: [1, false] });
    });

    test("S8-001 finds all children of a parent that has thousands", async () => {
      const at = scene();
      const run = await at.start();
      const ids: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        const children = Array.from({ length: 250 }, (_, index) =>
          newChild(at, { stepKey: `s${round}-${index}` }),
        );
        await at.commitHeld(run, { changes: children, renewLeaseMs: LEASE_MS });
        ids.push(...children.map(({ instanceId }) => instanceId));
      }
      expect((await find(at, { parent: run.run })).toSorted()).toEqual(ids.toSorted());
      const { queued } = (await count(at, { parent: run.run }, 10_000)) as {
        readonly queued: readonly [number, boolean];
      };
      expect(queued[1] || queued[0] === ids.length).toBe(true);
    }, 240_000);
  });

  describe("findInstances of what is stuck", () => {
    test("S8-001 finds what is due and whose lease is over for long, and what has ended its processes", async () => {
      const at = scene();
      const sleeps = await at.start();
      await at.commitHeld(sleeps, { outcome: parkIn(365 * 86_400_000) });
      const ended = await at.start();
      await at.end(ended, COMPLETE);
      const paused = await at.create();
      await at.control(paused.instanceId, "pause");
      const held = await at.start();
      await at.clock.advance(1);
      const due = await at.create();
      expect(await find(at, { isStuck: true })).toEqual([]);
      await at.clock.advance(STUCK_AFTER_MS - 1);
      expect(await find(at, { isStuck: true })).toEqual([]);
      await at.clock.advance(1);
      expect(await find(at, { isStuck: true })).toEqual([due.instanceId]);
      await at.clock.advance(LEASE_MS);
      const both = [due.instanceId, held.run.instanceId];
      for (const pageSize of [1, 100])
        expect(await find(at, { isStuck: true }, pageSize)).toEqual(both);
      expect(await find(at, { isStuck: true, statuses: ["running"] })).toEqual([both[1]]);
      expect(await find(at, { isStuck: true, statuses: ["complete", "paused"] })).toEqual([]);
      expect(await count(at, { isStuck: true })).toEqual({
        queued: [1, false],
        running: [1, false],
      });
      // Taken over again and again, so it is a suspect.
      for (let life = 0; life < 2; life += 1) {
        await at.claim();
        await at.clock.advance(LEASE_MS + 1);
      }
      await at.claim();
      expect(new Set(await find(at, { isStuck: true }))).toEqual(new Set(both));
    });

    test("S8-001 finds children of one instance that are stuck, and no other", async () => {
      const at = scene();
      const run = await at.start();
      await at.create();
      const { parent, ids } = await raise(at, run, 3);
      await at.clock.advance(STUCK_AFTER_MS);
      expect((await find(at, { parent, isStuck: true })).toSorted()).toEqual(ids);
      expect((await find(at, { parent, isStuck: true }, 1)).toSorted()).toEqual(ids);
      expect(await find(at, { parent, isStuck: true, statuses: ["waiting"] })).toEqual([]);
      expect(await count(at, { parent, isStuck: true })).toEqual({ queued: [3, false] });
    });

    test("S8-001 finds all that is stuck where thousands are", async () => {
      const at = scene();
      const ids: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        const instances = Array.from({ length: 250 }, () => at.newInstance());
        await at.store.create(instances);
        ids.push(...instances.map(({ instanceId }) => instanceId));
      }
      await at.clock.advance(STUCK_AFTER_MS);
      expect((await find(at, { isStuck: true })).toSorted()).toEqual(ids.toSorted());
    }, 240_000);
  });

  describe("countInstances with a filter", () => {
    test("S8-001 counts what every filter lets through, up to a cap", async () => {
      const at = scene();
      const { createdAt } = await at.create({ instanceId: `a-${newId()}`, tags: ["x"] });
      await at.clock.advance(10);
      await at.create({ instanceId: `b-${newId()}`, tags: ["x", "y"] });
      const two = { queued: [2, false] };
      expect(await count(at, { tag: "x" })).toEqual(two);
      expect(await count(at, { tag: "x" }, 1)).toEqual({ queued: [1, true] });
      expect(await count(at, { tag: "y" })).toEqual({ queued: [1, false] });
      expect(await count(at, { tag: "z" })).toEqual({});
      expect(await count(at, { idPrefix: "a-" })).toEqual({ queued: [1, false] });
      expect(await count(at, { createdFrom: createdAt + 1 })).toEqual({ queued: [1, false] });
      expect(await count(at, { createdBefore: createdAt + 10 })).toEqual({ queued: [1, false] });
      expect(await count(at, { createdBefore: createdAt + 11 })).toEqual(two);
      expect(await count(at, { createdBefore: createdAt + 11, tag: "y" })).toEqual({
        queued: [1, false],
      });
      expect(await count(at, { updatedBefore: createdAt + 10 })).toEqual({ queued: [1, false] });
      expect(await count(at, { errorCode: "E" })).toEqual({});
    });
  });
}
