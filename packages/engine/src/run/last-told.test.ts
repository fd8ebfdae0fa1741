/** What author code tells last, and does not await. */
import { describe, expect, test } from "vitest";
import {
  defineTopic,
  defineWorkflow,
  NonRetryableError,
  RollbackError,
  type WorkflowStep,
} from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { readValues } from "../testing/streams.ts";

const TOPIC = defineTopic({ name: "news" });

/** Runs a workflow to its end. @returns what it told, its status, and how many commits it took */
async function play(run: (step: WorkflowStep) => unknown) {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  let commits = 0;
  const commit: typeof store.commit = (requests) => {
    commits += 1;
    return store.commit(requests);
  };
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({
    workflows: { W: workflow },
    topics: [TOPIC],
    store: { store: { ...store, commit }, clock: time },
  });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  return { harness, instance, commits: () => commits };
}

describe("S6-017 what is told last and not awaited", () => {
  test("S6-017 goes with the last commit, in its order, whether or not its code was there", async () => {
    const { harness, commits } = await play((step) => {
      for (const n of [1, 2, 3]) void step.progress(n);
      return "done";
    });
    expect(await readValues(harness.engine)).toEqual([1, 2, 3]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
    expect(commits()).toBe(1);
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });

  test("S6-017 goes with the last commit of a run that fails", async () => {
    const { harness, commits } = await play(async (step) => {
      await step.do("work", () => 1);
      void step.progress("it fails");
      throw new NonRetryableError("no");
    });
    expect(await readValues(harness.engine)).toEqual(["it fails"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
    expect(commits()).toBe(1);
  });

  test("S6-017 is told before what the run has done is undone", async () => {
    const { harness } = await play(async (step) => {
      await step.do("work", { undo: (_, { progress }) => progress("undone") }, () => 1);
      void step.progress("it is to be undone");
      throw new RollbackError("no");
    });
    expect(await readValues(harness.engine)).toEqual(["it is to be undone", "undone"]);
  });

  test("S6-017 is told by a clean-up", async () => {
    const { harness, instance } = await play(async (step) => {
      try {
        await step.sleep("long", "1 day");
      } finally {
        void step.shielded.progress("cleaned");
      }
    });
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await readValues(harness.engine)).toEqual(["cleaned"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
  });

  test("S6-017 what cannot be told changes nothing", async () => {
    const { harness } = await play((step) => {
      void step.progress(() => 1);
      void step.progress("x".repeat(70_000));
      void step.progress("ok");
    });
    expect(await readValues(harness.engine)).toEqual(["ok"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  });

  test("S6-015 a message that is emitted last and not awaited is emitted", async () => {
    const { harness } = await play((step) => {
      void step.emit(TOPIC, { n: 1 });
    });
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ type, status }) => [type, status])).toEqual([["emit", "completed"]]);
  });
});
