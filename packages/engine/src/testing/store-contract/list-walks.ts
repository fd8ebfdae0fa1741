/** Walks through the pages of every list during writes: what matches all the time is seen exactly once. */
import { describe, expect, test } from "vitest";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { createRandom, type Random } from "../random.ts";
import { step } from "./builders.ts";
import type { Scene, SceneSource } from "./scene.ts";

const COMMANDS: readonly StoreCommand[] = [
  "pause",
  "resume",
  "cancel",
  "terminate",
  "rollback",
  "restart",
  "retry",
];
const WALKS: readonly (InstanceStatusName | null)[] = [null, "queued", "paused", "terminated"];

/** Reads the pages of a list with writes before each. Notes which instances matched every time. */
async function walkBesideWriters(
  at: Scene,
  ids: string[],
  { status, random }: { readonly status: InstanceStatusName | null; readonly random: Random },
): Promise<{ readonly seen: readonly string[]; readonly constant: readonly string[] }> {
  const seen: string[] = [];
  const statuses = new Map<string, InstanceStatusName>();
  for (const id of ids) statuses.set(id, (await at.load(id)).status);
  let constant = ids.filter((id) => status === null || statuses.get(id) === status);
  let after: PagePosition | null = null;
  do {
    const page = await at.store.listInstances({
      workflowName: at.workflowName,
      status,
      pageSize: random.integer(1, 4),
      after,
    });
    seen.push(...page.items.map((item) => item.instanceId));
    after = page.next;
    for (let writes = random.integer(0, 3); writes > 0; writes -= 1) {
      if (random.integer(0, 2) > 0) await at.clock.advance(random.integer(0, 3));
      const id = await write(at, ids, random);
      const now = (await at.load(id)).status;
      if (status !== null && now !== status) constant = constant.filter((other) => other !== id);
    }
  } while (after !== null);
  return { seen, constant };
}

/** One write by another client. @returns the affected instance */
async function write(at: Scene, ids: string[], random: Random): Promise<string> {
  if (random.integer(0, 4) === 0) {
    const { instanceId } = await at.create();
    ids.push(instanceId);
    return instanceId;
  }
  const id = random.pick(ids);
  await at.control(id, random.pick(COMMANDS));
  // A pause that is resumed changes the row and keeps its status.
  if (random.integer(0, 2) === 0) {
    await at.control(id, "pause");
    await at.control(id, "resume");
  }
  return id;
}

export function describeListWalks(scene: SceneSource): void {
  describe("walks over pages beside writers", () => {
    test.each([1, 2, 3, 4, 5, 6])(
      "S5-029 S0-139 a walk over instances misses and doubles none that matched all the time (seed %i)",
      async (seed) => {
        const at = scene();
        const random = createRandom(seed);
        const ids: string[] = [];
        for (let count = 0; count < 12; count += 1) {
          ids.push((await at.create()).instanceId);
          await at.clock.advance(random.integer(0, 2));
        }
        for (const status of WALKS) {
          const { seen, constant } = await walkBesideWriters(at, ids, { status, random });
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining([...constant]));
        }
      },
    );

    test("S5-029 a walk over history misses and doubles no step or event that was there all the time", async () => {
      const at = scene();
      const run = await at.start();
      const random = createRandom(7);
      const grow = async (key: string): Promise<void> => {
        await at.commitHeld(run, { changes: [step(key, { status: "running", result: null })] });
        await at.send(run.run.instanceId, `type-${key}`);
        await at.clock.advance(random.integer(0, 2));
      };
      const keys = Array.from({ length: 9 }, (_, index) => `before-${index}`);
      for (const key of keys) await grow(key);
      const steps: string[] = [];
      const events: string[] = [];
      let position: Record<"stepsAfter" | "eventsAfter", PagePosition | null> = {
        stepsAfter: null,
        eventsAfter: null,
      };
      for (let page = 0; page < 20; page += 1) {
        const pages = await at.store.loadHistory({ ...run.run, ...position, pageSize: 2 });
        steps.push(...pages.steps.items.map((item) => item.stepKey));
        events.push(...pages.events.items.map((item) => item.type));
        position = toPosition(pages.steps.items.at(-1), pages.events.items.at(-1), position);
        if (pages.steps.next === null && pages.events.next === null) break;
        // Settles a step that was or will be seen, and adds another.
        await at.commitHeld(run, { changes: [step(random.pick(keys))] });
        if (page < 3) await grow(`between-${page}`);
      }
      expect(new Set(steps).size).toBe(steps.length);
      expect(steps).toEqual(expect.arrayContaining(keys));
      expect(new Set(events).size).toBe(events.length);
      expect(events).toEqual(expect.arrayContaining(keys.map((key) => `type-${key}`)));
    });
  });
}

interface Row {
  readonly createdAt: number;
  readonly id: string;
}

const toPosition = (
  lastStep: Row | undefined,
  lastEvent: Row | undefined,
  before: Record<"stepsAfter" | "eventsAfter", PagePosition | null>,
): Record<"stepsAfter" | "eventsAfter", PagePosition | null> => ({
  stepsAfter: positionOf(lastStep) ?? before.stepsAfter,
  eventsAfter: positionOf(lastEvent) ?? before.eventsAfter,
});

const positionOf = (row: Row | undefined): PagePosition | null =>
  row === undefined ? null : { at: row.createdAt, id: row.id };
