/** How stores keep the progress of runs. */
import { describe, expect, test } from "vitest";
import type { Commit, OtherTableStatement } from "../../core/model/change.ts";
import { newId, step } from "./builders.ts";
import { made, pairs, readPage } from "./progress-scene.ts";
import { commitOf, COMPLETE, LEASE_MS, parkIn, type SceneSource } from "./scene.ts";
import type { StoreCapabilities } from "./subject.ts";

export function describeProgress(source: SceneSource, capabilities: StoreCapabilities): void {
  describe("progress", () => {
    test("S6-017 entries of a run are numbered without a gap, in the order in which they were made and committed", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.commitHeld(run, { changes: [made(1), step("a"), made(2)] });
      const now = await scene.clock.now();
      const ofBody = { stepKey: "b", attempt: 2, value: `{"é":"\\u0000"}` };
      await scene.commitHeld(run, { changes: [made(3, ofBody)] });
      await scene.end(run, COMPLETE, [made(4)]);
      const page = await readPage(scene, run);
      expect(pairs(page)).toEqual(["1:1", "2:2", `3:${ofBody.value}`, "4:4"]);
      expect(page).toMatchObject({ status: "complete", runNumber: 1, newest: 4 });
      expect(page.entries[0]).toEqual({
        sequence: 1,
        runNumber: 1,
        stepKey: "progress",
        attempt: null,
        createdAt: now,
        value: "1",
      });
      expect(page.entries[2]).toMatchObject({ stepKey: "b", attempt: 2 });
    });

    test("S6-017 a commit that comes twice, or late, adds its entries once", async () => {
      const scene = source();
      const run = await scene.start();
      const first = commitOf(run, { changes: [made(1), made(2)] });
      const second = commitOf(run, { changes: [made(3)] });
      for (const commit of [first, first, second, first, second])
        await scene.store.commit([commit]);
      const last = commitOf(run, { changes: [made(4)], outcome: parkIn(0) });
      await scene.store.commit([last]);
      await scene.store.commit([{ ...last, isRepeat: true }]);
      expect(pairs(await readPage(scene, run))).toEqual(["1:1", "2:2", "3:3", "4:4"]);
      const next = await scene.claimOne();
      await scene.store.commit([last]);
      await scene.end(next, COMPLETE, [made(5)]);
      expect(pairs(await readPage(scene, run, { after: 3 }))).toEqual(["4:4", "5:5"]);
    });

    test("S6-017 a commit whose lease is lost adds nothing", async () => {
      const scene = source();
      const lost = await scene.start();
      await scene.clock.advance(LEASE_MS + 1);
      const held = await scene.claimOne();
      expect(await scene.commit(lost, { changes: [made(1)] })).toEqual({ kind: "conflict" });
      await scene.end(held, COMPLETE, [made(2)]);
      expect(pairs(await readPage(scene, held))).toEqual(["1:2"]);
    });

    test("S6-017 commits of several runs in one trip add each to its own stream", async () => {
      const scene = source();
      const runs = [await scene.start(), await scene.start(), await scene.start()];
      const [one, lost, two] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
      await scene.commitHeld(two, { changes: [made(1)] });
      await scene.store.commit([
        commitOf(one, { changes: [made(10), made(11)], outcome: COMPLETE }),
        { ...commitOf(lost, { changes: [made(99)] }), lease: { ...lost.lease, token: newId() } },
        commitOf(two, { changes: [step("a"), made(20), made(21)] }),
      ]);
      expect(pairs(await readPage(scene, one))).toEqual(["1:10", "2:11"]);
      expect(pairs(await readPage(scene, lost))).toEqual([]);
      expect(pairs(await readPage(scene, two))).toEqual(["1:1", "2:20", "3:21"]);
    });

    test("S6-017 a restart goes on with the stream of its instance", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, COMPLETE, [made(1)]);
      await scene.control(run.run.instanceId, "restart");
      const again = await scene.claimOne();
      await scene.end(again, COMPLETE, [made(2)]);
      expect((await readPage(scene, run)).entries).toMatchObject([
        { sequence: 1, runNumber: 1 },
        { sequence: 2, runNumber: 2 },
      ]);
    });

    test("S6-017 an instance that has told nothing has an empty stream, and one that does not exist has none", async () => {
      const scene = source();
      const { workflowName, instanceId } = await scene.create();
      const range = { after: 7, limit: 10 };
      expect(await scene.store.readProgress({ workflowName, instanceId, ...range })).toEqual({
        status: "queued",
        runNumber: 1,
        newest: 0,
        entries: [],
      });
      const unknown = { workflowName, instanceId: newId(), ...range };
      expect(await scene.store.readProgress(unknown)).toBeNull();
      await scene.claim();
    });

    test.skipIf(capabilities.commitsForeignWrites !== true)(
      "S6-017 entries go with writes of other tables, once, and with none of them where these are refused",
      async () => {
        const scene = source();
        const { foreignTable: table } = scene.fixture;
        if (table === undefined) throw new TypeError("this store has no other table");
        const run = await scene.start();
        const entry = made(1);
        const writing = (statement: OtherTableStatement): Partial<Commit> => ({
          changes: [
            step("a"),
            entry,
            { kind: "otherTables", stepKey: "a", statements: [statement] },
          ],
          readsEvents: false,
        });
        expect((await scene.commit(run, writing(table.wrong))).kind).toBe("refused");
        expect(pairs(await readPage(scene, run))).toEqual([]);
        const commit = commitOf(run, writing(table.insert(newId())));
        for (let time = 1; time <= 2; time += 1)
          expect(await scene.store.commit([commit])).toMatchObject([{ kind: "committed" }]);
        expect(pairs(await readPage(scene, run))).toEqual(["1:1"]);
        await scene.end(run, COMPLETE);
      },
    );
  });
}
