/** The completion of a lone run: one statement on Postgres, with the same effects as the statements of a shared trip. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Change, Commit } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import {
  errorOf,
  eventConsumed,
  newId,
  openWait,
  step,
} from "../../testing/store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs, parkIn } from "../../testing/store-contract/scene.ts";
import { newInstance } from "../../testing/plans/instances.ts";
import { openPostgresScene, type PostgresScene, type Row } from "./testing-postgres.ts";

const W = "W";
let at: PostgresScene;
beforeEach(async () => {
  at = await openPostgresScene();
});
afterEach(() => at.close());

const verbsOf = (): ReturnType<typeof createVerbs> => createVerbs(at.store, W);

async function start(count: number): Promise<readonly ClaimedRun[]> {
  await at.store.create(Array.from({ length: count }, () => newInstance(W)));
  return (await verbsOf().claim()).runs;
}

async function startOne(): Promise<ClaimedRun> {
  const [run] = await start(1);
  if (run === undefined) throw new TypeError("no run");
  return run;
}

/** The content of a row, whichever run it belongs to. */
const sayingOf = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isOwn = ["id", "_internalId", "instanceId", "consumedByEventId"].includes(name);
      return [name, isOwn ? "its own" : value instanceof Date ? "an instant" : value];
    }),
  );

const failed = errorOf("TypeError", "no");

const LAST_STEPS: Readonly<Record<string, (id: string) => Change>> = {
  "a first write": () => step("a", { updatedAt: 1_700_000_000_000 }),
  "a first write that names the attempt after it": () => ({
    ...step("a", { updatedAt: 1_700_000_000_000 }),
    startedKeys: ["b"],
  }),
  "a first write without an instant": () => step("a"),
  "a step that failed": () =>
    step("a", {
      status: "errored",
      result: null,
      error: failed,
      failedAttempts: `[1]`,
      updatedAt: 1_700_000_000_000,
    }),
  "a step that has a row": (id) => step("open", { id, version: 1, settledOrder: 2 }),
};

describe("alone and in a shared trip, a completion writes the same rows", () => {
  async function completeAll(
    runs: readonly ClaimedRun[],
    toCommit: (run: ClaimedRun) => Partial<Commit>,
  ): Promise<void> {
    const [alone, ...shared] = runs.map((run) =>
      commitOf(run, { outcome: COMPLETE, ...toCommit(run), number: 7 }),
    );
    if (alone === undefined) throw new TypeError("no run");
    const results = [await at.store.commit([alone]), await at.store.commit(shared)].flat();
    for (const result of results) Object.assign(result, { now: "an instant" });
    expect(results[0]).toMatchObject({ kind: "committed" });
    expect(results).toEqual(Array.from({ length: 3 }, () => results[0]));
    expect(await at.rowsOf("task")).toEqual([]);
    for (const table of ["instance", "step", "event"] as const) {
      const rows = await at.rowsOf(table);
      const [first, ...others] = runs.map(({ run }) =>
        rows.filter(({ instanceId }) => instanceId === run.instanceId).map(sayingOf),
      );
      for (const one of others) expect(one).toEqual(first);
    }
    expect((await at.rowsOf("instance")).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => "complete"),
    );
  }

  test.each(Object.entries(LAST_STEPS))("with %s", async (_name, last) => {
    const runs = await start(3);
    const ids = new Map(runs.map((run) => [run, newId()]));
    const idOf = (run: ClaimedRun): string => ids.get(run) ?? "";
    await at.store.commit(
      runs.map((run) =>
        commitOf(run, { changes: [openWait("open", "go", { inMs: 9 }, idOf(run))] }),
      ),
    );
    for (const { run } of runs) {
      await verbsOf().control(run.instanceId, "pause");
      await verbsOf().send(run.instanceId, "unread");
    }
    await completeAll(runs, (run) => ({ changes: [last(idOf(run))] }));
  });

  test("with an event that the step takes, and one that nobody does", async () => {
    const runs = await start(3);
    const ids = new Map(runs.map((run) => [run, newId()]));
    const idOf = (run: ClaimedRun): string => ids.get(run) ?? "";
    await at.store.commit(
      runs.map((run) =>
        commitOf(run, { changes: [openWait("w", "go", null, idOf(run))], outcome: parkIn(9e6) }),
      ),
    );
    for (const { run } of runs)
      for (const type of ["go", "unread"]) await verbsOf().send(run.instanceId, type);
    await completeAll((await verbsOf().claim()).runs, (run) => {
      const id = runs.find((one) => one.run.instanceId === run.run.instanceId);
      const taken = run.events.find(({ type }) => type === "go");
      if (id === undefined || taken === undefined) throw new TypeError("no event");
      const wait = step("w", { id: idOf(id), type: "waitForEvent", version: 1 });
      return {
        outcome: { kind: "complete", output: null },
        changes: [eventConsumed(taken.id, "w"), wait],
      };
    });
    const taken = (await at.rowsOf("event")).filter(({ deliveredAt }) => deliveredAt !== null);
    expect(taken.map(({ eventType, type }) => eventType ?? type)).toEqual(["go", "go", "go"]);
  });
});

test("a row that is there after all is replaced, with one trip more", async () => {
  const run = await startOne();
  const change = step("a", { updatedAt: 1_700_000_000_000 });
  await verbsOf().commitHeld(run, { changes: [change], readsEvents: false });
  const before = at.tripCount();
  await verbsOf().end(run, COMPLETE, [{ ...change, version: 0 }]);
  expect(at.tripCount() - before).toBe(2);
  expect(await at.rowsOf("step")).toHaveLength(1);
  expect(await at.rowsOf("instance")).toMatchObject([{ status: "complete" }]);
});

test("a step whose row id another step has is refused, and nothing is written", async () => {
  const run = await startOne();
  const first = step("a", { updatedAt: 1_700_000_000_000 });
  await verbsOf().commitHeld(run, { changes: [first], readsEvents: false });
  const changes = [step("b", { id: first.step.id, updatedAt: 1_700_000_000_000 })];
  expect(await verbsOf().commit(run, { outcome: COMPLETE, changes })).toMatchObject({
    kind: "failed",
    error: { code: "INVARIANT_BROKEN" },
  });
  expect(await at.rowsOf("task")).toHaveLength(1);
  expect(await at.rowsOf("instance")).toMatchObject([{ status: "running" }]);
});

describe("a completion that waits for who changes its rows", () => {
  const LAST = {
    outcome: COMPLETE,
    changes: [step("last", { updatedAt: 1_700_000_000_000 })],
  } as const;
  const TASK = `"workflow_task_workflows"`;
  const INSTANCE = `"workflow_instance_workflows"`;

  /** The effects of `texts` in a transaction that the completion meets after they ran and before they are committed. */
  async function meet(...texts: readonly string[]): Promise<ReturnType<typeof commitOf>> {
    const run = await startOne();
    const commit = commitOf(run, LAST);
    await at.beside.query("begin");
    for (const text of texts) await at.beside.query(text);
    return commit;
  }

  async function commitBehind(commit: Commit): Promise<unknown> {
    const committing = at.store.commit([commit]);
    await at.untilWaiting();
    await at.beside.query("commit");
    return (await committing)[0];
  }

  test("a request to pause does not outlive it", async () => {
    const commit = await meet(
      `select 1 from ${TASK} for update`,
      `update ${INSTANCE} set "pauseRequested" = true, "_version" = "_version" + 1`,
    );
    expect(await commitBehind(commit)).toMatchObject({ kind: "committed" });
    expect(await at.rowsOf("instance")).toMatchObject([
      { status: "complete", output: `"done"`, pauseRequested: false },
    ]);
    expect(await at.rowsOf("task")).toEqual([]);
  });

  test("what was written of the instance alone stays, and its versions go on", async () => {
    const commit = await meet(
      `update ${INSTANCE} set "tags" = '["t"]', "endRequested" = 'cancel', "_version" = "_version" + 1`,
    );
    expect(await commitBehind(commit)).toMatchObject({ kind: "committed" });
    const [row] = await at.rowsOf("instance");
    expect(row).toMatchObject({ status: "complete", tags: `["t"]`, endRequested: "cancel" });
    // The claim, the concurrent writer and the completion.
    expect(Number(row?.["_version"])).toBe(3);
  });

  test.each([
    ["the lease goes to another", `update ${TASK} set "claimNumber" = "claimNumber" + 1`],
    ["the task is removed", `delete from ${TASK}`],
  ])("nothing is written where %s", async (_name, text) => {
    const commit = await meet(text);
    expect(await commitBehind(commit)).toEqual({ kind: "conflict" });
    expect(await at.rowsOf("step")).toEqual([]);
    expect(await at.rowsOf("instance")).toMatchObject([{ status: "running", output: null }]);
  });
});

test("an answer that was lost is found: the repeat is told that it has committed", async () => {
  const run = await startOne();
  const commit = commitOf(run, { outcome: COMPLETE, changes: [step("a")] });
  const [first] = await at.store.commit([commit]);
  const [again] = await at.store.commit([{ ...commit, isRepeat: true }]);
  expect(first).toMatchObject({ kind: "committed" });
  expect(again).toMatchObject({ kind: "committed" });
  // If it is not marked as a repeat, it finds no lease, and then the name that the first one has left.
  expect((await at.store.commit([commit]))[0]).toMatchObject({ kind: "committed" });
});
