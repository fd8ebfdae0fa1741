/** Commits that a network delivers late, or twice. */
import { describe, expect, test } from "vitest";
import type { Change, Commit, RunOutcome } from "../../core/model/change.ts";
import { eventConsumed, newId, openWait, step } from "./builders.ts";
import { commitOf, COMPLETE, parkIn, type SceneSource } from "./scene.ts";

const FAIL: RunOutcome = {
  kind: "fail",
  error: { name: "E", message: "m", code: null, details: null, stack: null, cause: null },
};

/** Rows in an order that does not depend on the store. */
const byKey = <Item extends { readonly stepKey: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (a.stepKey < b.stepKey ? -1 : 1));

const running = (stepKey: string, id: string): Change =>
  step(stepKey, { id, status: "running", result: null });

export function describeLateCommits(scene: SceneSource): void {
  describe("commits that come late or twice", () => {
    test.each<[string, Partial<Commit>]>([
      ["alone in its statement", { readsEvents: false }],
      ["behind the fence", { readsEvents: true }],
      ["with a renewal", { readsEvents: false, renewLeaseMs: 60_000 }],
    ])(
      "S5-003 a commit that comes after a later one of its lease changes nothing: %s",
      async (_name, kind) => {
        const { start, store, commitHeld, history, clock } = scene();
        const run = await start();
        const [a, b] = [newId(), newId()];
        const late = commitOf(run, { ...kind, changes: [running("a", a), running("b", b)] });
        await store.commit([late]);
        await commitHeld(run, {
          changes: [step("a", { id: a, settledOrder: 1, version: 1 })],
        });
        const before = await history(run.run);
        await clock.advance(5);
        await store.commit([late]);
        expect(byKey((await history(run.run)).steps.items)).toEqual(byKey(before.steps.items));
      },
    );

    test("S5-003 a lone step that comes late does not reopen the step it had started", async () => {
      const { start, store, commitHeld, history } = scene();
      const run = await start();
      const id = newId();
      const late = commitOf(run, { readsEvents: false, changes: [running("a", id)] });
      await store.commit([late]);
      await commitHeld(run, { changes: [step("a", { id, settledOrder: 1, version: 1 })] });
      await store.commit([late]);
      expect((await history(run.run)).steps.items).toMatchObject([
        { stepKey: "a", status: "completed", settledOrder: 1 },
      ]);
    });

    test("S5-003 a wait that took its event stays done when its opening comes late", async () => {
      const { start, send, store, commitHeld, history } = scene();
      const run = await start();
      const [id, { instanceId }] = [newId(), run.run];
      const late = commitOf(run, { changes: [openWait("approval", "approved", null, id)] });
      await store.commit([late]);
      await send(instanceId, "approved");
      const { events } = await commitHeld(run);
      const event = events[0]?.id ?? "";
      const taken = step("approval", { id, type: "waitForEvent", settledOrder: 1, version: 1 });
      await commitHeld(run, { changes: [taken, eventConsumed(event, "approval")] });
      await store.commit([late]);
      const page = await history(run.run);
      expect(page.steps.items).toMatchObject([{ status: "completed" }]);
      expect(page.events.items).toMatchObject([{ consumedByStepKey: "approval" }]);
    });

    test.each<[string, Partial<Commit>]>([
      ["alone in its statement", { readsEvents: false }],
      ["behind the fence", { readsEvents: true }],
    ])(
      "S5-004 S4-033 a commit repeated while its lease holds answers as the first did: %s",
      async (_name, kind) => {
        const { start, store, history, clock } = scene();
        const run = await start();
        const commit = commitOf(run, { ...kind, changes: [step("a")] });
        const [first] = await store.commit([commit]);
        const before = await history(run.run);
        await clock.advance(5);
        const [second] = await store.commit([commit]);
        expect(second).toEqual({ ...first, now: await clock.now() });
        expect(await history(run.run)).toEqual(before);
      },
    );

    test.each<[string, RunOutcome]>([
      ["park", parkIn(60_000)],
      ["release", { kind: "release" }],
      ["pause", { kind: "pause" }],
      ["complete", COMPLETE],
      ["fail", FAIL],
    ])(
      "S5-004 a repeated %s answers `committed` once more and changes nothing",
      async (_name, outcome) => {
        const { start, store, history, load, clock } = scene();
        const run = await start();
        const commit = commitOf(run, { outcome, changes: [step("a")] });
        const [first] = await store.commit([commit]);
        const before = [await load(run.run.instanceId), await history(run.run)];
        await clock.advance(5);
        const [second] = await store.commit([commit]);
        expect(second).toEqual({ ...first, now: await clock.now() });
        expect([await load(run.run.instanceId), await history(run.run)]).toEqual(before);
      },
    );

    test("S5-004 a repeat beside commits of other runs in one call is told apart from a lost lease", async () => {
      const { start, claim, store, clock } = scene();
      const [repeated, lost, fresh] = [await start(), await start(), await start()];
      const parked = commitOf(repeated, { outcome: parkIn(600_000), changes: [step("a")] });
      await store.commit([parked]);
      await clock.advance(60_000);
      await claim();
      const kinds = (
        await store.commit([
          commitOf(lost, { changes: [step("b")] }),
          parked,
          commitOf(fresh, { changes: [step("c")] }),
        ])
      ).map(({ kind }) => kind);
      expect(kinds).toEqual(["conflict", "committed", "conflict"]);
    });

    test("S5-004 a repeat of the commit that ended a lease changes nothing, though a claim under the same token came again", async () => {
      const at = scene();
      await at.create();
      const token = newId();
      const run = await at.claimOne({ token });
      const ending = commitOf(run, { changes: [step("a")], outcome: parkIn(0) });
      await at.store.commit([ending]);
      const again = await at.claimOne({ token });
      const [repeated] = await at.store.commit([{ ...ending, isRepeat: true }]);
      expect(repeated).toMatchObject({ kind: "committed" });
      const [next] = await at.store.commit([
        { ...commitOf(again, { changes: [step("b", { settledOrder: 2 })] }), isRepeat: true },
      ]);
      expect(next, "the lease is held").toMatchObject({ kind: "committed" });
    });

    test("S5-004 the end of a lease that another claim followed is still known, and the other's run undisturbed", async () => {
      const { start, claimOne, store, history } = scene();
      const run = await start();
      const released = commitOf(run, { outcome: { kind: "release" }, changes: [step("a")] });
      await store.commit([released]);
      const next = await claimOne();
      expect(await store.commit([released])).toMatchObject([{ kind: "committed", dueAt: null }]);
      expect(await store.commit([commitOf(next, { changes: [step("b")] })])).toMatchObject([
        { kind: "committed" },
      ]);
      expect((await history(run.run)).steps.items).toHaveLength(2);
    });

    test("names of steps about to start come with the next claim", async () => {
      const { start, commitHeld, end, claimOne } = scene();
      const run = await start();
      const settled = step("a");
      await commitHeld(run, { changes: [{ ...settled, startedKeys: ["b", "c#2"] }] });
      await end(run, { kind: "release" });
      const { settled: steps } = await claimOne();
      expect(steps.map(({ startedKeys }) => JSON.parse(startedKeys ?? "[]") as unknown)).toEqual([
        ["b", "c#2"],
      ]);
    });
  });
}
