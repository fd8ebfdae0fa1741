/** `fork`: what a new instance begins with, and that the original is left alone. */
import { describe, expect, test } from "vitest";
import { planRewind } from "../../core/decide/rewind.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { ForkRequest, ForkResult } from "../../ports/rewind.ts";
import { createRandom } from "../random.ts";
import { eventConsumed, newId, step } from "./builders.ts";
import { CASES, changesOf, type Past, randomPast } from "./rewind-cases.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";

const fork = (
  { store, workflowName, newInstance }: Scene,
  { run }: Pick<ClaimedRun, "run">,
  stepKey: string,
  overrides: Partial<ForkRequest> = {},
): Promise<ForkResult> =>
  store.fork({
    workflowName,
    instanceId: run.instanceId,
    stepKey,
    ifRunNumber: null,
    ifStatus: null,
    create: newInstance(),
    keepsParams: true,
    stepRowIds: newId(),
    ...overrides,
  });

async function completed(at: Scene, steps: readonly Past[]): Promise<ClaimedRun> {
  const run = await at.start({ params: `"p"` });
  await at.end(run, COMPLETE, changesOf(steps));
  return run;
}

const keysOf = (steps: readonly { readonly stepKey: string }[]): readonly string[] =>
  steps.map(({ stepKey }) => stepKey);

const stateOf = async (at: Scene, { run }: ClaimedRun): Promise<unknown> => ({
  instance: await at.load(run.instanceId),
  ...(await at.history(run)),
});

export function describeFork(scene: SceneSource): void {
  describe("fork", () => {
    test.each(CASES)("S6-022 copies $says", async ({ steps, to, left }) => {
      const at = scene();
      const run = await completed(at, steps);
      const before = await stateOf(at, run);
      const result = await fork(at, run, to);
      expect(await stateOf(at, run)).toEqual(before);
      if (typeof left === "string") {
        expect(result.kind).toBe(left);
        expect((await at.claim()).runs).toEqual([]);
        return;
      }
      expect(result.kind).toBe("created");
      const again = await at.claimOne();
      expect({ settled: keysOf(again.settled), open: keysOf(again.open) }).toEqual(left);
    });

    test("S6-022 copies the same steps as the core says, of any history", async () => {
      const at = scene();
      for (let seed = 101; seed <= 140; seed += 1) {
        const steps = randomPast(createRandom(seed));
        const to = steps[seed % steps.length]?.stepKey ?? "";
        const records = changesOf(steps).map((change) => change.step);
        const plan = planRewind({ error: null, endRequested: null }, records, to);
        const result = await fork(at, await completed(at, steps), to);
        if (typeof plan === "string") {
          expect({ seed, kind: result.kind }).toEqual({ seed, kind: plan });
          continue;
        }
        const again = await at.claimOne();
        const copied = {
          settled: keysOf(again.settled).length,
          open: keysOf(again.open).toSorted(),
        };
        expect({ seed, ...copied }).toEqual({
          seed,
          settled: plan.kept.length - plan.reopened.length,
          open: keysOf(plan.reopened).toSorted(),
        });
        await at.end(again, COMPLETE);
      }
    });

    test("S6-022 a fork is due at once, with the source's params or its own, rows of its own, and says where it is from", async () => {
      const at = scene();
      const run = await completed(at, [{ stepKey: "a" }, { stepKey: "b" }, { stepKey: "c" }]);
      await at.clock.advance(10);
      const result = await fork(at, run, "c", { create: at.newInstance({ instanceId: "f" }) });
      const forkedFrom = { instanceId: run.run.instanceId, runNumber: 1, stepKey: "c" };
      const now = await at.clock.now();
      expect(result).toEqual({ kind: "created", instance: await at.load("f") });
      expect(await at.load("f")).toMatchObject({
        status: "queued",
        runNumber: 1,
        params: `"p"`,
        output: null,
        forkedFrom,
        createdAt: now,
        startedAt: null,
      });
      const claimed = await at.claimOne();
      expect(claimed).toMatchObject({ params: `"p"`, keyNumber: 1 });
      const source = (await at.history(run.run)).steps.items.slice(0, 2);
      const copies = (await at.history(claimed.run)).steps.items;
      expect(copies.map((copy, index) => ({ ...copy, id: source[index]?.id }))).toEqual(source);
      expect(new Set([...copies, ...source].map(({ id }) => id)).size).toBe(4);
      const own = at.newInstance({ instanceId: "g", params: null });
      await fork(at, run, "c", { create: own, keepsParams: false });
      expect(await at.load("g")).toMatchObject({ params: null, forkedFrom });
    });

    test("S6-022 a fork has no events, and takes none of its source", async () => {
      const at = scene();
      const run = await at.start();
      for (const name of ["taken", "left"]) await at.send(run.run.instanceId, "go", `"${name}"`);
      const [taken] = (await at.history(run.run)).events.items;
      await at.end(run, COMPLETE, [
        step("w", { type: "waitForEvent" }),
        eventConsumed(taken?.id ?? "", "w"),
        step("b", { settledOrder: 2 }),
      ]);
      await fork(at, run, "b");
      expect(await at.claimOne()).toMatchObject({ events: [], settled: [{ stepKey: "w" }] });
      expect((await at.history(run.run)).events.items).toMatchObject([
        { consumedByStepKey: "w" },
        { consumedByStepKey: null },
      ]);
    });

    test("S6-022 a fork of a run that is held is of what it has committed, and takes it from nobody", async () => {
      const at = scene();
      const held = await at.start();
      await at.commitHeld(held, { changes: [step("a")] });
      await fork(at, held, "a");
      expect(await at.claimOne()).toMatchObject({ settled: [], open: [] });
      await at.end(held, COMPLETE);
    });

    test("S6-022 an id that is taken is left alone; the same create again copies nothing more", async () => {
      const at = scene();
      const run = await completed(at, [{ stepKey: "a" }, { stepKey: "b" }, { stepKey: "c" }]);
      const create = at.newInstance({ instanceId: "f" });
      expect(await fork(at, run, "b", { create })).toMatchObject({ kind: "created" });
      const claimed = await at.claimOne();
      expect(await fork(at, run, "c", { create })).toMatchObject({
        kind: "created",
        instance: { status: "running" },
      });
      expect(keysOf((await at.history(claimed.run)).steps.items)).toEqual(["a"]);
      const other = at.newInstance({ instanceId: "f" });
      expect(await fork(at, run, "c", { create: other })).toMatchObject({ kind: "exists" });
      expect(keysOf((await at.history(claimed.run)).steps.items)).toEqual(["a"]);
      await at.end(claimed, COMPLETE);
      expect(await at.fixture.countTasks(at.workflowName)).toBe(0);
    });

    test("S6-022 demands its source's run and status, and that there is one", async () => {
      const at = scene();
      const run = await completed(at, [{ stepKey: "a" }]);
      const kindOf = async (overrides: Partial<ForkRequest>): Promise<string> =>
        (await fork(at, run, "a", overrides)).kind;
      expect(await kindOf({ ifRunNumber: 2 })).toBe("runNumberMismatch");
      expect(await kindOf({ ifStatus: ["errored", "paused"] })).toBe("statusMismatch");
      expect(await kindOf({ instanceId: "nobody" })).toBe("notFound");
      expect((await at.claim()).runs).toEqual([]);
      expect(await kindOf({ ifRunNumber: 1, ifStatus: ["errored", "complete"] })).toBe("created");
    });

    test("S6-022 of forks of one id at once one is made, with its own steps alone", async () => {
      const at = scene();
      const run = await completed(at, [{ stepKey: "a" }, { stepKey: "b" }, { stepKey: "c" }]);
      const asked = ["a", "b", "c"].map((to) =>
        fork(at, run, to, { create: at.newInstance({ instanceId: "f" }) }),
      );
      const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(["created", "exists", "exists"]);
      const before = { a: 0, b: 1, c: 2 };
      const { forkedFrom } = await at.load("f");
      expect((await at.claimOne()).settled).toHaveLength(
        before[forkedFrom?.stepKey as keyof typeof before],
      );
    });
  });
}
