/** The creation of a lone instance: one statement on Postgres, with the same effects as the statements of a shared trip. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewInstance } from "../../ports/create.ts";
import { newId } from "../../testing/store-contract/builders.ts";
import { COMPLETE, createVerbs, LEASE_MS } from "../../testing/store-contract/scene.ts";
import { newInstance } from "../../testing/plans/instances.ts";
import { openPostgresScene, type PostgresScene, type Row } from "./testing-postgres.ts";

const W = "W";
let at: PostgresScene;
beforeEach(async () => {
  at = await openPostgresScene();
});
afterEach(() => at.close());

const OWN = new Set(["id", "_internalId", "instanceId"]);

/** The content of a row, whichever instance it belongs to. Instants of the statement itself are recognised by their distance to it. */
function sayingOf(row: Row): Row {
  const createdAt = row["createdAt"] as Date;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (OWN.has(name)) return [name, "its own"];
      return [name, value instanceof Date ? value.getTime() - createdAt.getTime() : value];
    }),
  );
}

const FORMS: Readonly<Record<string, Partial<NewInstance>>> = {
  "nothing but its name": {},
  params: { params: `{"a":"'\\"ö"}` },
  "a claim": { claim: { token: "token", leaseMs: LEASE_MS } },
  "a claim and a trace": {
    claim: { token: "token", leaseMs: LEASE_MS },
    traceContext: "00-a-b-01",
  },
  "a start later": { start: { inMs: 5000 } },
  "a start that is over": { start: { at: 1000 } },
  "a deadline": { deadline: { inMs: 9000 } },
  "tags and memo": { tags: ["a", "b"], memo: `"m"` },
};

test.each(Object.entries(FORMS))(
  "alone and in a shared trip, a create writes the same rows: %s",
  async (_name, form) => {
    const [alone, ...shared] = [1, 2, 3].map(() => Object.assign(newInstance(W), form));
    if (alone === undefined) throw new TypeError("no instance");
    const results = [await at.store.create([alone]), await at.store.create(shared)].flat();
    expect(results.map(({ kind }) => kind)).toEqual(["created", "created", "created"]);
    for (const table of ["instance", "task"] as const) {
      const rows = await at.rowsOf(table);
      const [first, ...others] = rows.map(sayingOf);
      expect(others).toEqual([first, first]);
    }
  },
);

test("alone, its id taken, and repeated after its answer was lost: one trip each", async () => {
  const first = newInstance(W);
  const before = at.tripCount();
  const [created] = await at.store.create([first]);
  const [again] = await at.store.create([first]);
  const [taken] = await at.store.create([{ ...newInstance(W), instanceId: first.instanceId }]);
  expect(at.tripCount() - before).toBe(3);
  expect([created?.kind, again?.kind, taken?.kind]).toEqual(["created", "created", "exists"]);
  expect(again).toEqual(created);
  expect(await at.rowsOf("task")).toHaveLength(1);
});

test("a create repeated after the run has ended makes no task", async () => {
  const { claimOne, end } = createVerbs(at.store, W);
  const request = newInstance(W);
  await at.store.create([request]);
  await end(await claimOne(), COMPLETE);
  const [again] = await at.store.create([request]);
  expect(again).toMatchObject({ kind: "created", instance: { status: "complete" } });
  expect(await at.rowsOf("task")).toEqual([]);
});

describe("while another create of the id is under way", () => {
  /** Both ends of the other create: `then` happens once ours waits for it. */
  async function createBehind(then: "commit" | "rollback"): Promise<string | undefined> {
    const ours = newInstance(W);
    await at.beside.query("begin");
    await at.beside.query(
      `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", ` +
        `"pauseRequested", "createdAt", "updatedAt") values ($1, $2, $3, 1, 'paused', false, now(), now())`,
      [newId(), W, ours.instanceId],
    );
    const creating = at.store.create([ours]);
    await at.untilWaiting();
    await at.beside.query(then);
    const [result] = await creating;
    return result?.kind;
  }

  test("it exists once that has committed, and nothing is written", async () => {
    expect(await createBehind("commit")).toBe("exists");
    expect(await at.rowsOf("instance")).toMatchObject([{ status: "paused" }]);
    expect(await at.rowsOf("task")).toEqual([]);
  });

  test("it is created if that is rolled back", async () => {
    expect(await createBehind("rollback")).toBe("created");
    expect(await at.rowsOf("task")).toHaveLength(1);
  });
});

test("of many creates of one id at once, each alone, one creates it", async () => {
  const { instanceId } = newInstance(W);
  const results = await Promise.all(
    Array.from({ length: 12 }, () => at.store.create([{ ...newInstance(W), instanceId }])),
  );
  const kinds = results.flat().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "created")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "exists")).toHaveLength(11);
  expect(await at.rowsOf("task")).toHaveLength(1);
});

test("an id whose row id another instance has is refused, and nothing is written", async () => {
  const first = newInstance(W);
  await at.store.create([first]);
  const [refused] = await at.store.create([
    { ...newInstance(W), instanceRowId: first.instanceRowId },
  ]);
  expect(refused).toMatchObject({ kind: "failed", error: { code: "INVARIANT_BROKEN" } });
  expect(await at.rowsOf("instance")).toHaveLength(1);
});
