/** `commit` with writes to tables that do not belong to the engine: together with the step's record, and once. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { newId, openWait, step } from "./builders.ts";
import { commitOf, type Scene, type SceneSource } from "./scene.ts";
import type { ForeignTable, StoreCapabilities } from "./subject.ts";

export function describeForeignWrites(scene: SceneSource, capabilities: StoreCapabilities): void {
  if (capabilities.commitsForeignWrites !== true) return describeRefusal(scene);
  describe("foreign writes", () => {
    test("they are applied with the step, and their rows are given back in order", async () => {
      const { start, commitHeld, history, table } = setup(scene);
      const run = await start();
      const [a, b] = [newId(), newId()];
      const { otherTableRows } = await commitHeld(run, { changes: settle(table, "s", [a, b]) });
      expect(otherTableRows).toEqual([[{ key: a }], [{ key: b }]]);
      expect(await table.has(a)).toBe(true);
      expect((await history(run.run)).steps.items).toMatchObject([{ status: "completed" }]);
    });

    test("a commit without them has no such rows", async () => {
      const { start, commitHeld } = setup(scene);
      expect(await commitHeld(await start(), { changes: [step("s")] })).not.toHaveProperty(
        "otherTableRows",
      );
    });

    test("a lost lease writes nothing", async () => {
      const { start, commit, history, table } = setup(scene);
      const run = await start();
      const key = newId();
      const stale = { ...run, lease: { ...run.lease, token: newId() } };
      expect(await commit(stale, { changes: settle(table, "s", [key]) })).toEqual({
        kind: "conflict",
      });
      expect(await table.has(key)).toBe(false);
      expect((await history(run.run)).steps.items).toEqual([]);
    });

    test("a refused write takes the whole commit with it; the lease is still held", async () => {
      const { start, commit, commitHeld, history, table } = setup(scene);
      const run = await start();
      const [taken, free] = [newId(), newId()];
      await commitHeld(run, { changes: settle(table, "first", [taken]) });
      const result = await commit(run, { changes: settle(table, "second", [free, taken], 2) });
      expect(result).toMatchObject({ kind: "refused", refusal: { kind: "unique" } });
      expect(await table.has(free)).toBe(false);
      expect((await history(run.run)).steps.items).toHaveLength(1);
      await commitHeld(run, { changes: settle(table, "second", [free], 2) });
    });

    test("a statement that the database rejects, and a false guard, are refusals as well", async () => {
      const { start, commit, table } = setup(scene);
      const run = await start();
      const refuse = (statement: ForeignTable["wrong"]) =>
        commit(run, { changes: [step("s"), foreign("s", [statement])] });
      expect(await refuse(table.wrong)).toMatchObject({ refusal: { kind: "rejected" } });
      expect(await refuse(table.falseGuard)).toMatchObject({
        refusal: { kind: "conflict", reason: "guard", guard: table.falseGuardName },
      });
    });

    test("the same commit again writes nothing again, and is committed", async () => {
      const { start, commitHeld, table, fixture } = setup(scene);
      const run = await start();
      const key = newId();
      const changes = settle(table, "s", [key]);
      await commitHeld(run, { changes });
      await fixture.clock.advance(1);
      expect(await commitHeld(run, { changes })).toMatchObject({ pauseRequested: false });
      expect(await table.has(key)).toBe(true);
    });

    test("in one call with others, each is told its own result", async () => {
      const { create, claim, store, table } = setup(scene);
      for (let count = 0; count < 3; count += 1) await create();
      const runs = (await claim()).runs as [ClaimedRun, ClaimedRun, ClaimedRun];
      const [taken, free] = [newId(), newId()];
      const results = await store.commit([
        commitOf(runs[0], { changes: settle(table, "s", [taken, taken]) }),
        commitOf(runs[1], { changes: [step("s")] }),
        commitOf(runs[2], { changes: settle(table, "s", [free]) }),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual(["refused", "committed", "committed"]);
      expect([await table.has(taken), await table.has(free)]).toEqual([false, true]);
    });

    test("events that came meanwhile are read as at any boundary", async () => {
      const { start, commitHeld, send, table } = setup(scene);
      const run = await start();
      await send(run.run.instanceId, "go");
      const changes = [openWait("w", "go", null), ...settle(table, "s", [newId()])];
      expect((await commitHeld(run, { changes })).events).toMatchObject([{ type: "go" }]);
    });
  });
}

/** A store without other tables refuses them. */
function describeRefusal(scene: SceneSource): void {
  test("foreign writes are refused, and nothing of their commit is written", async () => {
    const { start, commit, history } = scene();
    const run = await start();
    const changes = [step("s"), foreign("s", [{ text: "select 1", values: [] }])];
    expect(await commit(run, { changes })).toMatchObject({
      kind: "refused",
      refusal: { kind: "rejected", error: { code: "STEP_TRANSACTION_UNSUPPORTED" } },
    });
    expect((await history(run.run)).steps.items).toEqual([]);
  });
}

function setup(source: SceneSource): Scene & { readonly table: ForeignTable } {
  const scene = source();
  const { foreignTable } = scene.fixture;
  if (foreignTable === undefined) throw new TypeError("the fixture has no foreign table");
  return { ...scene, table: foreignTable };
}

const foreign = (stepKey: string, statements: readonly ForeignTable["wrong"][]): Change => ({
  kind: "otherTables",
  stepKey,
  statements,
});

/** Settles a step and inserts keys into the other table. */
const settle = (
  table: ForeignTable,
  stepKey: string,
  keys: readonly string[],
  settledOrder = 1,
): readonly Change[] => [
  step(stepKey, { settledOrder }),
  foreign(
    stepKey,
    keys.map((key) => table.insert(key)),
  ),
];
