/** Code that settles steps endlessly and waits for nothing. */
import { describe, expect, test } from "vitest";
import { defineTopic, defineWorkflow, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";

const TOPIC = defineTopic({ name: "numbers" });

/** Runs a workflow. @returns the changes in its commits, and the messages between two that delivered some */
async function play(run: (step: WorkflowStep) => unknown, limits: object = {}) {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const sizes: number[] = [];
  let kept = 0;
  let mostKept = 0;
  const commit: typeof store.commit = (commits) => {
    const changes = commits.flatMap((one) => one.changes);
    sizes.push(changes.length);
    kept += changes.filter(({ kind }) => kind === "messageEmitted").length;
    mostKept = Math.max(mostKept, kept);
    return store.commit(commits);
  };
  const deliver: typeof store.deliver = (request) => {
    kept = 0;
    return store.deliver(request);
  };
  const define = (name: string, body: (step: WorkflowStep) => unknown) =>
    defineWorkflow({ name }, async (_event, step) => body(step));
  const listen = (step: WorkflowStep): unknown =>
    step.loop("listen", {
      run: async (own) => {
        await own.waitForTopic("next", TOPIC);
      },
    });
  const harness = createHarness({
    workflows: { W: define("w", run), LISTENER: define("listener", listen) },
    topics: [TOPIC],
    limits,
    store: { store: { ...store, commit, deliver }, clock: time },
  });
  await harness.workflows.LISTENER.create({ id: "l" });
  await harness.runUntilIdle();
  await harness.workflows.W.create({ id: "x" });
  // One slot: the run that holds it keeps all others waiting.
  for (let processed = 1; processed > 0;) ({ processed } = await harness.tick({ maxInstances: 1 }));
  return { harness, sizes, mostKept };
}

describe("steps without end", () => {
  test("sleeps of no length end a run that makes nothing else", async () => {
    let turns = 0;
    const { harness, sizes } = await play(
      async (step) => {
        for (; turns < 5000; turns += 1)
          await (turns % 2 === 0 ? step.sleep("nap", 0) : step.sleepUntil("past", 5));
      },
      { maxIdleCalls: 2500 },
    );
    expect(turns).toBeLessThanOrEqual(2500);
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
    expect(Math.max(...sizes)).toBeLessThan(1100);
  });

  test("versions are committed on the way", async () => {
    const { harness, sizes } = await play(async (step) => {
      for (let n = 0; n < 3000; n += 1) {
        step.version(`v${n}`, 2);
        await step.progress(n);
      }
    });
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(Math.max(...sizes)).toBeLessThan(2200);
  });

  test("S6-015 messages are committed on the way, and handed on before there are more than a topic keeps", async () => {
    const { harness, sizes, mostKept } = await play(
      async (step) => {
        for (let n = 0; n < 2000; n += 1) await step.emit(TOPIC, n);
      },
      { maxTopicMessages: 300 },
    );
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(Math.max(...sizes)).toBeLessThan(250);
    expect(mostKept).toBeLessThanOrEqual(400);
  });
});
