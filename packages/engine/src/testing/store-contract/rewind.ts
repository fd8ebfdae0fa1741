/** `rewind`: what stays of a run that is brought back to a step, who loses it, and what tells of it. */
import { describe, expect, test } from "vitest";
import { planRewind } from "../../core/decide/rewind.ts";
import { toUndoKey } from "../../core/step-key.ts";
import type { Change } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { createRandom } from "../random.ts";
import { errorOf, eventConsumed, step } from "./builders.ts";
import { CASES, changesOf, randomPast } from "./rewind-cases.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";
import { rewind, completed, keysOf, A_AND_B } from "./rewind-scene.ts";

/** A store's history holds a hundred steps at most of what these write. */
const stepKeysOf = async (at: Scene, { run }: ClaimedRun): Promise<readonly string[]> =>
  keysOf((await at.history(run)).steps.items).toSorted();

export function describeRewind(scene: SceneSource): void {
  describe("rewind", () => {
    test.each(CASES)("S6-022 keeps $says", async ({ steps, to, left }) => {
      const at = scene();
      const run = await completed(at, steps);
      const before = {
        instance: await at.load(run.run.instanceId),
        ...(await at.history(run.run)),
      };
      const result = await rewind(at, run, to);
      if (typeof left === "string") {
        expect(result).toEqual({ kind: left, instance: before.instance });
        expect({
          instance: await at.load(run.run.instanceId),
          ...(await at.history(run.run)),
        }).toEqual(before);
        return;
      }
      expect(result).toMatchObject({ kind: "applied", woke: true });
      const again = await at.claimOne();
      expect({ settled: keysOf(again.settled), open: keysOf(again.open) }).toEqual(left);
    });

    test("S6-022 keeps the same steps as the core says, of any history", async () => {
      const at = scene();
      for (let seed = 1; seed <= 80; seed += 1) {
        const steps = randomPast(createRandom(seed));
        const to = steps[seed % steps.length]?.stepKey ?? "";
        const run = await completed(at, steps);
        const records = changesOf(steps).map((change) => change.step);
        const plan = planRewind({ error: null, endRequested: null }, records, to);
        const result = await rewind(at, run, to);
        const left = typeof plan === "string" ? plan : keysOf(plan.kept).toSorted();
        const found = result.kind === "applied" ? await stepKeysOf(at, run) : result.kind;
        expect({ seed, left: found }).toEqual({ seed, left });
        if (typeof plan === "string") continue;
        const again = await at.claimOne();
        expect({ seed, open: keysOf(again.open).toSorted() }).toEqual({
          seed,
          open: keysOf(plan.reopened).toSorted(),
        });
        await at.end(again, COMPLETE);
      }
    });

    test.each([
      ["complete", COMPLETE],
      ["errored", { kind: "fail", error: errorOf("Error", "m") }],
      ["terminated", { kind: "terminate", error: null }],
      ["waiting", parkIn(60_000)],
      ["queued", { kind: "release" }],
    ] as const)("S6-022 a run that is %s is due again, its end gone", async (status, outcome) => {
      const at = scene();
      const run = await at.start({ params: `1` });
      await at.end(run, outcome, changesOf(A_AND_B));
      expect(await at.load(run.run.instanceId)).toMatchObject({ status });
      await at.clock.advance(10);
      const result = await rewind(at, run, "b");
      const instance = await at.load(run.run.instanceId);
      expect(result).toEqual({ kind: "applied", instance, woke: true });
      expect(instance).toMatchObject({
        status: "queued",
        runNumber: 1,
        output: null,
        error: null,
        completedAt: null,
        updatedAt: await at.clock.now(),
      });
      expect(await at.fixture.countTasks(at.workflowName)).toBe(1);
      const again = await at.claimOne();
      expect(again).toMatchObject({ params: `1`, keyNumber: 2, lostLeases: 0 });
      expect(keysOf(again.settled)).toEqual(["a"]);
    });

    test("S6-022 S4-010 whoever holds the run loses it: what comes late of it changes nothing", async () => {
      const at = scene();
      const held = await at.start();
      await at.commitHeld(held, { changes: changesOf(A_AND_B) });
      expect(await rewind(at, held, "b")).toMatchObject({ kind: "applied", woke: true });
      const late: Change[] = [step("c", { settledOrder: 3 }), step("b", { version: 9 })];
      expect(await at.commit(held, { changes: late })).toEqual({ kind: "conflict" });
      expect(await at.commit(held, { changes: late, outcome: COMPLETE })).toEqual({
        kind: "conflict",
      });
      expect(await stepKeysOf(at, held)).toEqual(["a"]);
      const again = await at.claimOne();
      await at.end(again, COMPLETE, [step("b", { settledOrder: 2 })]);
      expect(await stepKeysOf(at, held)).toEqual(["a", "b"]);
    });

    test("S6-022 a run that is paused, or is to be, stays so, and goes on from there", async () => {
      const at = scene();
      const held = await at.start();
      await at.commitHeld(held, { changes: changesOf(A_AND_B) });
      await at.control(held.run.instanceId, "pause");
      expect(await rewind(at, held, "b")).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "paused", pauseRequested: false },
      });
      expect(await at.commit(held)).toEqual({ kind: "conflict" });
      expect(await rewind(at, held, "a")).toMatchObject({ instance: { status: "paused" } });
      expect((await at.claim()).runs).toEqual([]);
      await at.control(held.run.instanceId, "resume");
      expect(await at.claimOne()).toMatchObject({ settled: [], open: [], keyNumber: 3 });
    });

    test("S6-022 events that the steps had taken come back, those of earlier ones do not", async () => {
      const at = scene();
      const run = await at.start();
      for (const name of ["kept", "one", "trimmed", "new"])
        await at.send(run.run.instanceId, "go", `"${name}"`);
      const ids = (await at.history(run.run)).events.items.map(({ id }) => id);
      const waits = ["a", "b", "l/~0/w"];
      await at.end(run, COMPLETE, [
        ...waits
          .slice(0, 2)
          .map((stepKey, index) =>
            step(stepKey, { type: "waitForEvent", settledOrder: index + 1 }),
          ),
        ...waits.map((stepKey, index) => eventConsumed(ids[index] ?? "", stepKey)),
      ]);
      await rewind(at, run, "b");
      const again = await at.claimOne();
      expect(again.events.map(({ payload }) => payload)).toEqual([`"one"`, `"trimmed"`, `"new"`]);
      expect(again.hasMoreEvents).toBe(false);
    });

    test("S6-022 what an iteration before a loop's position had taken stays taken", async () => {
      const at = scene();
      const run = await at.start();
      for (const name of ["behind", "ahead"]) await at.send(run.run.instanceId, "go", `"${name}"`);
      const ids = (await at.history(run.run)).events.items.map(({ id }) => id);
      const result = `{"iteration":1,"at":1,"since":0,"after":1}`;
      await at.end(run, COMPLETE, [
        ...changesOf([{ stepKey: "l/~0/x" }, { stepKey: "l/~1/w", type: "waitForEvent" }]),
        step("l", { type: "loop", result, settledOrder: 3 }),
        eventConsumed(ids[0] ?? "", "l/~0/w"),
        eventConsumed(ids[1] ?? "", "l/~1/w"),
      ]);
      await rewind(at, run, "l/~1/w");
      expect((await at.claimOne()).events.map(({ payload }) => payload)).toEqual([`"ahead"`]);
    });

    test("S6-022 no attempt is counted of a body that an earlier step's row names; that a step has an undo is kept", async () => {
      const at = scene();
      const run = await at.start();
      const named = (stepKey: string, startedKeys: readonly string[], order: number): Change => ({
        ...step(stepKey, { settledOrder: order }),
        startedKeys,
      });
      await at.end(run, COMPLETE, [
        named(`a "x"`, [toUndoKey(`a "x"`), "b"], 1),
        named("aa", ["b"], 2),
        named("b", [], 3),
      ]);
      await rewind(at, run, "b");
      const { settled } = await at.claimOne();
      expect(settled.map(({ startedKeys }) => startedKeys)).toEqual([
        JSON.stringify([toUndoKey(`a "x"`)]),
        null,
      ]);
    });
  });
}
