/** Steps that come in one row are those that come in many. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Change } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { newInstance } from "../../testing/plans/instances.ts";
import { errorOf, openWait, step } from "../../testing/store-contract/builders.ts";
import { createVerbs, parkIn } from "../../testing/store-contract/scene.ts";
import { unpackSteps } from "./packed-steps.ts";
import { openPostgresScene, type PostgresScene } from "./testing-postgres.ts";

test("what is empty in a packed row is null, and what stands before a result is the rest of its step", () => {
  const packed = {
    stepKeys: "a\u001Eb\u001Ec",
    settledOrders: "2\u001E1\u001E",
    startedKeys: `["b"]\u001E\u001E`,
    updatedAts: "20\u001E10\u001E30",
    results: `{"n":1}\u001E\u001E{"id":"x"}\u001D`,
  };
  expect(unpackSteps(packed)).toEqual([
    {
      stepKey: "a",
      settledOrder: 2,
      startedKeys: `["b"]`,
      updatedAt: 20,
      result: `{"n":1}`,
      rest: null,
    },
    { stepKey: "b", settledOrder: 1, startedKeys: null, updatedAt: 10, result: null, rest: null },
    {
      stepKey: "c",
      settledOrder: null,
      startedKeys: null,
      updatedAt: 30,
      result: null,
      rest: `{"id":"x"}`,
    },
  ]);
});

describe("on Postgres", () => {
  let at: PostgresScene;
  beforeEach(async () => {
    at = await openPostgresScene();
  });
  afterEach(() => at.close());

  /** The steps of a run that has these, as a claim of one run reads them and as one of several does. */
  async function claimBoth(changes: readonly Change[]): Promise<readonly ClaimedRun[]> {
    const { claimOne, end } = createVerbs(at.store, "W");
    await at.store.create([newInstance("W")]);
    await end(await claimOne(), parkIn(0), changes);
    const one = await claimOne({ limit: 1 });
    await end(one, parkIn(0));
    return [one, await claimOne()];
  }

  test("a claim of one run reads the steps that a claim of several does", async () => {
    const error = errorOf("E", "it \u001E failed \u001D");
    const [one, several] = await claimBoth([
      step("of\u001Done", { settledOrder: 3, result: null }),
      step("b", { settledOrder: 1, type: "sleep", result: null }),
      {
        ...step("failed", { settledOrder: 2, status: "errored", result: null, error }),
        startedKeys: ["x"],
      },
      openWait("w", "go", { inMs: 60_000 }),
    ]);
    expect(one?.settled.map(({ stepKey }) => stepKey)).toEqual(["b", "failed", "of\u001Done"]);
    expect(one?.open).toHaveLength(1);
    expect([one?.settled, one?.open, one?.isWhole]).toEqual([
      several?.settled,
      several?.open,
      true,
    ]);
  });

  test("a run without steps has none", async () => {
    const [one, several] = await claimBoth([]);
    expect([one?.settled, one?.open, one?.isWhole]).toEqual([[], [], true]);
    expect(several?.isWhole).toBe(true);
  });

  test("where a name has the separator, the steps are read apart", async () => {
    const [one, several] = await claimBoth([step("a\u001Eb"), step("c", { settledOrder: 2 })]);
    expect([one?.settled, one?.isWhole]).toEqual([[], false]);
    const { run } = one as ClaimedRun;
    const { settled } = await at.store.loadSteps({ ...run, after: 0 });
    expect(settled.map(({ stepKey }) => stepKey)).toEqual(["a\u001Eb", "c"]);
    expect(several?.settled).toEqual(settled);
  });
});
