import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, describe, expect, test } from "vitest";
import { defineWorkflow, type WorkflowDefinition } from "../../authoring/define-workflow.ts";
import { postgres } from "../../databases/postgres.ts";
import { sqlite } from "../../databases/sqlite.ts";
import type { Store } from "../../ports/store.ts";
import { createEngine } from "../../verbs/engine.ts";
import { replayHistories } from "./replay-histories.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const OPENERS: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => {
    const directory = temporaryDirectory();
    cleanups.push(() => directory.remove());
    return sqlite(`${directory.path}/store.db`);
  },
  Postgres: async () => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    return postgres(url);
  },
};

/** More steps than fit on a page of history. */
const STEP_COUNT = 230;

const count = (lastName: string): WorkflowDefinition =>
  defineWorkflow({ name: "count" }, async (_event, step) => {
    for (let k = 0; k < STEP_COUNT; k += 1) await step.do("one", () => k);
    await step.do(lastName, () => "x".repeat(20_000));
    return (await step.waitForEvent<{ n: number }>("go", { type: "go" })).payload;
  });

describe.each(Object.entries(OPENERS))("S8-013 histories in %s", (_name, open) => {
  test("S8-013 are replayed whole, however long they are and however large their results, and stay as they are", async () => {
    const store = await open();
    cleanups.push(() => store.close());
    const engine = createEngine({ workflows: { COUNT: count("last") }, store });
    for (const id of ["waiting", "complete"]) await engine.createInstance("count", { id });
    await engine.tick();
    await engine.sendEvent("count", "complete", { type: "go", payload: { n: 1 } });
    await engine.tick();
    const before = await engine.getInstance("count", "complete");

    const same = await replayHistories({ workflows: { COUNT: count("last") }, store });
    expect(same).toMatchObject({ replayedCount: 2, divergedCount: 0, changedEndCount: 0 });
    const other = await replayHistories({ workflows: { COUNT: count("end") }, store });
    expect(other.divergences).toContainEqual({
      workflowName: "count",
      instanceId: "complete",
      runNumber: 1,
      kind: "notCalled",
      stepKey: "last",
      message: 'history has step "last", which the code does not call',
    });
    expect(other.divergedCount).toBe(2);
    const few = await replayHistories({
      workflows: { COUNT: count("end") },
      store,
      instances: { status: ["waiting"] },
    });
    expect(few).toMatchObject({ replayedCount: 1, divergedCount: 1, mayHaveMore: false });
    const newest = await replayHistories({
      workflows: { COUNT: count("last") },
      store,
      maxInstances: 1,
    });
    expect(newest).toMatchObject({ replayedCount: 1, divergedCount: 0, mayHaveMore: true });
    expect(newest.text).toMatch(/not all were replayed/);
    expect(await engine.getInstance("count", "complete")).toEqual(before);
  });
});
