/** Late commits after loops have removed rows: no row comes back. */
import { describe, expect, test } from "vitest";
import type { Change, Commit, LoopWrite, StepChange } from "../../core/model/change.ts";
import { newId, step } from "./builders.ts";
import { newChild, waitFor } from "./family.ts";
import { made, pairs, readPage } from "./progress-scene.ts";
import { commitOf, type Scene, type SceneSource } from "./scene.ts";
import type { StoreCapabilities } from "./subject.ts";
import { emitOf, emitted, newTopic } from "./topic-scene.ts";

const trimmed = (...stepKeys: string[]): Change => ({ kind: "stepsTrimmed", stepKeys });

/** A step in loops, with the loops' last versions. */
const inLoops = (change: StepChange, versions: Readonly<Record<string, number>>): StepChange => {
  const loops = Object.entries(versions).map(([stepKey, version]): LoopWrite => ({
    stepKey,
    version,
  }));
  return { ...change, loops };
};

const running = (stepKey: string): StepChange =>
  step(stepKey, { status: "running", result: null, settledOrder: null });

const loopRow = (stepKey: string, version: number): StepChange =>
  step(stepKey, {
    type: "loop",
    status: "running",
    result: `{"iteration":${version + 1}}`,
    settledOrder: null,
    version,
  });

/** Everything that is stored of a run. */
const told = async (
  { history, load, ...scene }: Scene,
  run: Parameters<typeof readPage>[1],
): Promise<unknown> => {
  const { steps, events } = await history(run.run);
  const items = steps.items.toSorted((a, b) => (a.stepKey < b.stepKey ? -1 : 1));
  const stream = pairs(await readPage(scene, run));
  return { steps: items, events: events.items, stream, instance: await load(run.run.instanceId) };
};

export function describeLateLoopCommits(
  source: SceneSource,
  capabilities: StoreCapabilities,
): void {
  describe("commits that come late to a loop", () => {
    test.each<[string, readonly string[], Partial<Commit>]>([
      ["of a lone step", ["l/~0/a"], { readsEvents: false }],
      ["of several steps", ["l/~0/a", "l/~0/b"], { readsEvents: false }],
      ["that reads events", ["l/~0/a", "l/~0/b"], { readsEvents: true }],
      ["that renews its lease", ["l/~0/a"], { readsEvents: false, renewLeaseMs: 60_000 }],
    ])("S5-003 one %s brings no row back that the loop has removed", async (_name, keys, kind) => {
      const scene = source();
      const run = await scene.start();
      const changes = keys.map((key) => inLoops(running(key), { l: -1 }));
      const late = commitOf(run, { ...kind, changes });
      await scene.store.commit([late]);
      expect((await scene.history(run.run)).steps.items).toHaveLength(keys.length);
      await scene.commitHeld(run, { changes: [loopRow("l", 0), trimmed(...keys)] });
      const before = await told(scene, run);
      expect(await scene.store.commit([late])).toMatchObject([{ kind: "committed" }]);
      expect(await told(scene, run)).toEqual(before);
    });

    test("S5-003 one of a loop within a loop brings no row back that either has removed", async () => {
      const scene = source();
      const run = await scene.start();
      const [inner, step1] = ["l/~1/m", "l/~1/m/~0/a"];
      const late = commitOf(run, {
        changes: [inLoops(running(step1), { l: 0, [inner]: -1 })],
        readsEvents: false,
      });
      await scene.commitHeld(run, { changes: [loopRow("l", 0)] });
      await scene.store.commit([late]);
      const position = inLoops(loopRow(inner, 0), { l: 0 });
      await scene.commitHeld(run, { changes: [position, trimmed(step1)] });
      const trimmedByInner = await told(scene, run);
      await scene.store.commit([late]);
      expect(await told(scene, run)).toEqual(trimmedByInner);
      await scene.commitHeld(run, { changes: [loopRow("l", 1), trimmed(inner)] });
      const trimmedByOuter = await told(scene, run);
      await scene.store.commit([late]);
      await scene.store.commit([{ ...late, changes: [position] }]);
      expect(await told(scene, run)).toEqual(trimmedByOuter);
    });

    test("S5-003 one that comes in a call with others keeps none of them from being applied", async () => {
      const scene = source();
      const [run, other] = [await scene.start(), await scene.start()];
      const late = commitOf(run, { changes: [inLoops(step("l/~0/a"), { l: -1 })] });
      await scene.store.commit([late]);
      await scene.commitHeld(run, { changes: [loopRow("l", 0), trimmed("l/~0/a")] });
      const before = await told(scene, run);
      const fresh = commitOf(other, {
        changes: [loopRow("l", 0), inLoops(step("l/~0/a"), { l: 0 }), step("b")],
      });
      const results = await scene.store.commit([late, fresh]);
      expect(results.map(({ kind }) => kind)).toEqual(["committed", "committed"]);
      expect(await told(scene, run)).toEqual(before);
      expect((await scene.history(other.run)).steps.items).toHaveLength(3);
    });

    test("S5-003 one that trims in turn adds nothing to streams and topics, and creates no child", async () => {
      const scene = source();
      const run = await scene.start();
      const topic = newTopic();
      const child = newChild(scene, { stepKey: "l/~0/c" });
      const first = (n: number): readonly Change[] => [
        inLoops(step(`l/~${n}/e`, { type: "emit" }), { l: n }),
        loopRow("l", n),
        { ...emitted(topic, n), stepKey: `l/~${n}/e`, retention: ONE },
        made(n, { stepKey: `l/~${n}/e` }),
      ];
      const late = commitOf(run, {
        changes: [...first(0), inLoops(waitFor(child), { l: 0 }), child],
      });
      await scene.store.commit([late]);
      await scene.commitHeld(run, { changes: [...first(1), trimmed("l/~0/e", "l/~0/c")] });
      const before = await told(scene, run);
      expect(await scene.store.commit([late])).toMatchObject([{ kind: "committed" }]);
      expect(await told(scene, run)).toEqual(before);
      expect(await scene.store.emit(emitOf(topic, 3))).toMatchObject({ sequence: 3 });
    });

    test("S5-003 one of a step outside of loops adds no message again, though the topic keeps it no more", async () => {
      const scene = source();
      const run = await scene.start();
      const topic = newTopic();
      const emit = (n: number): Commit =>
        commitOf(run, {
          changes: [step(`e${n}`), { ...emitted(topic, n), stepKey: `e${n}`, retention: ONE }],
          readsEvents: false,
        });
      const late = emit(1);
      for (const commit of [late, emit(2), emit(3), late, late]) await scene.store.commit([commit]);
      expect(await scene.store.emit(emitOf(topic, 4))).toMatchObject({ sequence: 4 });
    });

    test.skipIf(capabilities.commitsForeignWrites !== true)(
      "S5-003 one with writes of other tables writes nothing again, where its step was removed or written since",
      async () => {
        const scene = source();
        const { foreignTable: table } = scene.fixture;
        if (table === undefined) throw new TypeError("this store has no other table");
        const run = await scene.start();
        const [kept, never] = [newId(), newId()];
        const writes = (stepKey: string, key: string): Change => ({
          kind: "otherTables",
          stepKey,
          statements: [table.insert(key)],
        });
        const late = commitOf(run, {
          changes: [inLoops(step("l/~0/a"), { l: -1 }), writes("l/~0/a", kept)],
        });
        await scene.store.commit([late]);
        await scene.commitHeld(run, { changes: [loopRow("l", 0), trimmed("l/~0/a")] });
        const refused = commitOf(run, { changes: [step("s"), writes("s", never)] });
        await scene.commitHeld(run, { changes: [step("s", RETRIED)] });
        const before = await told(scene, run);
        for (const commit of [late, refused])
          expect(await scene.store.commit([commit])).toMatchObject([{ kind: "committed" }]);
        expect(await told(scene, run)).toEqual(before);
        expect([await table.has(kept), await table.has(never)]).toEqual([true, false]);
      },
    );
  });
}

const ONE = { maxCount: 1, maxBytes: 1_000_000, maxAgeMs: 60_000 };

const RETRIED = {
  status: "waiting",
  result: null,
  settledOrder: null,
  nextRetry: { inMs: 60_000 },
  version: 1,
} as const;
