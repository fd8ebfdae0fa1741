/** Pages of open callbacks: how large they are, and that a look which ends early loses none. */
import { describe, expect, test } from "vitest";
import { toCallbackEvent } from "../../core/callback.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import { CALLBACK_WAITS, type CallbackPosition, type OpenCallback } from "../../ports/overview.ts";
import { PAGE_BYTES } from "../../ports/pages.ts";
import { openWait } from "./builders.ts";
import { parkIn, type Scene, type SceneSource } from "./scene.ts";

const FOREVER = 8_640_000_000_000;
const STATUSES: readonly InstanceStatusName[] = ["queued", "running", "waiting", "paused"];

/** Starts a run that waits for callbacks, and for as many events. */
async function waitForAll(at: Scene, keys: readonly string[]): Promise<void> {
  const held = await at.start();
  const waits = keys.flatMap((key) => [
    openWait(key, toCallbackEvent(key), { inMs: FOREVER }),
    openWait(`${key} of another`, "go", { inMs: FOREVER }),
  ]);
  await at.end(held, parkIn(FOREVER), waits);
  await at.clock.advance(1);
}

/** Every page until the last one. */
async function pagesOf(at: Scene, pageSize: number): Promise<readonly (readonly OpenCallback[])[]> {
  const pages: (readonly OpenCallback[])[] = [];
  let after: CallbackPosition | null = null;
  do {
    const workflowNames = [at.workflowName];
    const asked = { workflowNames, statuses: STATUSES, pageSize, looked: 1000, after };
    const page = await at.store.listCallbacks(asked);
    pages.push(page.items);
    after = page.next;
  } while (after !== null);
  return pages;
}

export function describeCallbackPages(scene: SceneSource): void {
  describe("pages of callbacks", () => {
    test("S8-008 S8-009 every callback of runs that have few, many and very many is on one page", async () => {
      const at = scene();
      const counts = [
        1,
        CALLBACK_WAITS.counted,
        3,
        120,
        0,
        ...Array.from({ length: 10 }, () => 11),
      ];
      const all = counts.map((count, run) =>
        Array.from({ length: count }, (_, n) => `${run}-${n}`),
      );
      for (const keys of all) await waitForAll(at, keys);
      for (const pageSize of [7, 100]) {
        const pages = await pagesOf(at, pageSize);
        const found = pages.flat().map(({ stepKey }) => stepKey);
        expect(found.toSorted()).toEqual(all.flat().toSorted());
        const runs = found.map((key) => Number(key.split("-")[0]));
        expect(runs).toEqual(runs.toSorted((a, b) => a - b));
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(pageSize);
      }
    }, 240_000);

    test("S5-012 S8-009 the largest page has the longest names, no payload, and less than a page's bytes", async () => {
      const at = scene();
      // The longest path of a step. The six bytes of each such character are the most that JSON has for one.
      const keys = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(768, "\u0001"));
      await waitForAll(at, keys);
      const [page = []] = await pagesOf(at, 100);
      expect(page.map(({ stepKey }) => stepKey).toSorted()).toEqual(keys.toSorted());
      const sizeBytes = new TextEncoder().encode(JSON.stringify(page)).length;
      expect(sizeBytes).toBeGreaterThan(PAGE_BYTES / 2);
      expect(sizeBytes).toBeLessThan(PAGE_BYTES);
      const shown = Object.keys(page[0] ?? {}).toSorted();
      expect(shown).toEqual(
        [
          "workflowName",
          "instanceId",
          "runNumber",
          "status",
          "stepKey",
          "name",
          "createdAt",
          "wakeAt",
        ].toSorted(),
      );
    });
  });
}
