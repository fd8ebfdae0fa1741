/** What a rewind demands of its run, what tells of it, and what it does when it comes twice. */
import { describe, expect, test } from "vitest";
import { MAX_REWINDS_TOLD } from "../../core/decide/rewind.ts";
import { toControlKey } from "../../core/decide/demand.ts";
import { errorOf, newId, openWait, step } from "./builders.ts";
import { changesOf } from "./rewind-cases.ts";
import { COMPLETE, parkIn, type SceneSource } from "./scene.ts";
import { rewind, completed, keysOf, A_AND_B } from "./rewind-scene.ts";

export function describeRewindDemands(scene: SceneSource): void {
  describe("rewind: demands, repeats and events", () => {
    test("S6-022 a run that was cancelled is asked no more; one that is rolled back is left alone", async () => {
      const at = scene();
      const run = await at.start();
      await at.end(run, parkIn(60_000), [...changesOf(A_AND_B), openWait("w", "go", null)]);
      await at.control(run.run.instanceId, "cancel");
      expect(await rewind(at, run, "b")).toMatchObject({ instance: { endRequested: null } });
      expect(await at.claimOne()).toMatchObject({ endRequested: null, open: [] });
      await at.control(run.run.instanceId, "rollback");
      expect(await rewind(at, run, "a")).toMatchObject({ kind: "runUndone" });
      const other = await at.start();
      const error = { ...errorOf("RollbackError", "no"), code: "ROLLED_BACK" };
      await at.end(other, { kind: "fail", error }, changesOf(A_AND_B));
      expect(await rewind(at, other, "a")).toMatchObject({ kind: "runUndone" });
    });

    test("S6-022 demands its run and its status, and is known by its key", async () => {
      const at = scene();
      const run = await completed(at, A_AND_B);
      expect(await rewind(at, run, "b", { ifRunNumber: 2 })).toMatchObject({
        kind: "runNumberMismatch",
      });
      expect(await rewind(at, run, "b", { ifStatus: ["errored"] })).toMatchObject({
        kind: "statusMismatch",
        instance: { status: "complete" },
      });
      const keyed = { controlKey: "rewind k", ifRunNumber: 1, ifStatus: ["complete"] } as const;
      expect(await rewind(at, run, "b", keyed)).toMatchObject({ kind: "applied", woke: true });
      expect(await rewind(at, run, "b", keyed)).toMatchObject({ kind: "applied", woke: false });
      const again = await at.claimOne();
      expect(again.keyNumber).toBe(2);
      await at.end(again, COMPLETE);
      expect(await rewind(at, run, "b", keyed)).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "complete" },
      });
      expect(await rewind(at, { run: { ...run.run, instanceId: "nobody" } }, "b")).toEqual({
        kind: "notFound",
      });
    });

    test("S6-022 the key of the last rewind with another step is a conflict, and changes nothing", async () => {
      const at = scene();
      const run = await completed(at, A_AND_B);
      const toB = { controlKey: toControlKey("rewind k", ["b"]) };
      const toA = { controlKey: toControlKey("rewind k", ["a"]) };
      expect(await rewind(at, run, "b", toB)).toMatchObject({ kind: "applied", woke: true });
      await at.end(await at.claimOne(), COMPLETE, [step("b", { settledOrder: 2 })]);
      expect(await rewind(at, run, "a", toA)).toMatchObject({
        kind: "keyConflict",
        instance: { status: "complete" },
      });
      expect(keysOf((await at.history(run.run)).steps.items)).toEqual(["a", "b"]);
      expect(await rewind(at, run, "b", toB)).toMatchObject({ kind: "applied", woke: false });
      const longer = { controlKey: toControlKey("rewind kk", ["a"]) };
      expect(await rewind(at, run, "a", longer)).toMatchObject({ kind: "applied", woke: true });
    });

    test("S6-022 a call that arrives a second time, and late, changes nothing", async () => {
      const at = scene();
      const run = await completed(at, A_AND_B);
      const ids = { taskRowId: newId(), eventRowId: newId() };
      expect(await rewind(at, run, "b", ids)).toMatchObject({ kind: "applied", woke: true });
      await at.end(await at.claimOne(), COMPLETE, [step("b", { settledOrder: 2 })]);
      const before = { ...(await at.history(run.run)), is: await at.load(run.run.instanceId) };
      expect(await rewind(at, run, "b", ids)).toMatchObject({ kind: "applied", woke: false });
      expect({ ...(await at.history(run.run)), is: await at.load(run.run.instanceId) }).toEqual(
        before,
      );
      expect((await at.claim()).runs).toEqual([]);
    });

    test("S6-022 events tell of rewinds, the last hundred of them, and no wait takes one", async () => {
      const at = scene();
      const run = await completed(at, [...A_AND_B, { stepKey: "c" }]);
      await at.clock.advance(10);
      await rewind(at, run, "b");
      const told = await at.clock.now();
      const { events } = await at.history(run.run);
      expect(events.items).toMatchObject([
        {
          type: "rewind b",
          payload: `{"removedSteps":2}`,
          createdAt: told,
          deliveredAt: told,
          consumedByStepKey: null,
        },
      ]);
      expect(await at.claimOne()).toMatchObject({ events: [], hasMoreEvents: false });
      for (let count = 0; count < MAX_REWINDS_TOLD + 1; count += 1) {
        const held = (await at.claim()).runs[0] ?? run;
        await at.commit(held, { changes: [step(`x${count}`)] });
        await rewind(at, run, "a");
        const next = await at.claimOne();
        await at.commitHeld(next, { changes: [step("a")] });
      }
      const page = await at.store.loadHistory({
        ...run.run,
        pageSize: 100,
        stepsAfter: null,
        eventsAfter: null,
      });
      expect(page.events.items).toHaveLength(100);
      expect(page.events.next).toBeNull();
      expect(new Set(page.events.items.map(({ type }) => type))).toEqual(new Set(["rewind a"]));
    });

    test("S6-022 of two at once, one comes after the other", async () => {
      const at = scene();
      const run = await completed(at, [...A_AND_B, { stepKey: "c" }]);
      const results = await Promise.all([rewind(at, run, "b"), rewind(at, run, "c")]);
      const kinds = results.map(({ kind }) => kind).toSorted();
      expect([
        ["applied", "applied"],
        ["applied", "stepNotFound"],
      ]).toContainEqual(kinds);
      expect(keysOf((await at.claimOne()).settled)).toEqual(["a"]);
      expect(await at.fixture.countTasks(at.workflowName)).toBe(1);
    });
  });
}
