/**
 * A caller that waits for a run of this process learns its end without another look. At the end, time stands still, so only that
 * ends the wait.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime, type FakeTime } from "../testing/fake-time.ts";

// Test time does not wait for code that is loaded late.
beforeAll(() => Promise.all([import("./read-progress.ts"), import("../run/progress-step.ts")]));

/** Opens once, for everyone who waits. */
function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Time passes until the work is done. */
async function passing<T>(time: FakeTime, work: Promise<T>, stepMs = 10): Promise<T> {
  const over: unknown[] = [];
  const settled = work.finally(() => over.push(work));
  while (over.length === 0) await time.advance(stepMs);
  return settled;
}

describe("who waits for a run", { timeout: 20_000 }, () => {
  it("S6-017 hears of what is committed while the answer to its look is on its way", async () => {
    const time = createFakeTime();
    const store = createMemoryStore({ now: time.now });
    const [more, end, asked, answered] = Array.from({ length: 4 }, createGate);
    const W = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("long", async (context) => {
        await context.progress(1);
        await more?.opened;
        await context.progress(2);
        await end?.opened;
      }),
    );
    const readProgress: typeof store.readProgress = async (request) => {
      const page = await store.readProgress(request);
      if (request.after === 1 && page?.entries.length === 0) {
        asked?.open();
        await answered?.opened;
      }
      return page;
    };
    const engine = createEngine({
      workflows: { W },
      store: { ...store, readProgress },
      host: time.host,
    });
    await engine.workflows.W.create({ id: "x" });
    const ticked = engine.tick();
    const first = await passing(time, engine.readProgress("w", "x", { waitMs: 20_000 }));
    expect(first.entries).toMatchObject([{ value: 1 }]);
    const second = engine.readProgress("w", "x", { after: 1, waitMs: 20_000 });
    await asked?.opened;
    more?.open();
    const request = { workflowName: "w", instanceId: "x", after: 1, limit: 1 };
    while ((await store.readProgress(request))?.entries.length === 0) await time.advance(10);
    answered?.open();
    expect((await second).entries).toMatchObject([{ value: 2 }]);
    end?.open();
    await passing(time, ticked);
  });

  it("S6-019 is told of its session though another who waited for the run has left", async () => {
    const time = createFakeTime();
    const W = defineWorkflow({ name: "w" }, (_event, step) => step.do("work", () => "done"));
    const store = createMemoryStore({ now: time.now });
    const engine = createEngine({ workflows: { W }, store, host: time.host });
    const instance = await engine.workflows.W.create({ id: "x" });
    const result = instance.result({ timeout: "1 hour" });
    const other = engine.getInstance("w", "x", { waitMs: 5000 });
    await time.advance(5000);
    expect(await other).toMatchObject({ details: { status: "queued" } });
    await passing(time, engine.tick(), 0);
    expect(await result).toBe("done");
  });
});
