import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, defineWorkflow, NonRetryableError } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { createTickEngine } from "./tick-engine.ts";

const quote = defineWorkflow(
  {
    name: "quote",
    schema: z.object({ nights: z.number() }),
    output: z.object({ cents: z.number(), until: z.date() }),
  },
  async ({ payload }, step) => {
    await step.sleep("think", "10 seconds");
    return { cents: payload.nights * 9000, until: new Date(0) };
  },
);
const broken = defineWorkflow({ name: "broken" }, async (_event, step) => {
  await step.do("charge", () => {
    throw new NonRetryableError("card refused", "CardError");
  });
});
const workflows = { QUOTE: quote, BROKEN: broken };

/** A harness that counts how often the store is asked for the instance. */
function openScene() {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  let looks = 0;
  const harness = createHarness({
    workflows,
    store: {
      clock: time,
      store: {
        ...store,
        loadInstance: (...ref) => {
          looks += 1;
          return store.loadInstance(...ref);
        },
      },
    },
  });
  return { harness, looks: () => looks };
}

describe("S5-045 the result of an instance", () => {
  it("comes once the instance is complete, as its schema parsed it", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.QUOTE.create({ params: { nights: 2 } });
    const result = instance.result();
    await harness.runThroughTime();
    await harness.clock.advance(1000);
    const { cents, until } = await result;
    expect([cents, until]).toEqual([18_000, new Date(0)]);
    await expect(instance.result()).resolves.toEqual({ cents: 18_000, until: new Date(0) });
  });

  it("of one that failed is its error, with name, message, code and cause", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.BROKEN.create();
    await harness.runUntilIdle();
    const { error } = await instance.status();
    const thrown: unknown = await instance.result().catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({
      name: "CardError",
      message: "card refused",
      code: error?.code,
      cause: { name: "CardError", code: "NON_RETRYABLE" },
    });
  });

  it("of one that was terminated is INSTANCE_TERMINATED, of an unknown one INSTANCE_NOT_FOUND", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.QUOTE.create({ id: "x", params: { nights: 1 } });
    await instance.terminate();
    await expect(instance.result()).rejects.toMatchObject({
      code: "INSTANCE_TERMINATED",
      details: { workflowName: "quote", instanceId: "x" },
    });
  });

  it("is waited for a minute, or for as long as is said, and a look is taken at most once a second in the end", async () => {
    const { harness, looks } = openScene();
    const instance = await harness.workflows.QUOTE.create({ params: { nights: 1 } });
    const short = instance.result({ timeout: "3 seconds" }).catch((error: unknown) => error);
    await harness.clock.advance(3000);
    expect(await short).toMatchObject({
      code: "RESULT_TIMEOUT",
      retryable: true,
      message: expect.stringContaining("is its platform running"),
      details: { status: "queued", timeoutMs: 3000 },
    });
    const looksBefore = looks();
    const long = instance.result().catch((error: unknown) => error);
    await harness.clock.advance(59_999);
    const first = await Promise.race([long, Promise.resolve("waits")]);
    expect(first).toBe("waits");
    await harness.clock.advance(1);
    expect(await long).toMatchObject({ code: "RESULT_TIMEOUT", details: { timeoutMs: 60_000 } });
    expect(looks() - looksBefore).toBeLessThanOrEqual(67);
  });

  it("with a timeout of 0 takes one look", async () => {
    const { harness, looks } = openScene();
    const instance = await harness.workflows.QUOTE.create({ params: { nights: 1 } });
    await expect(instance.result({ timeout: 0 })).rejects.toMatchObject({ code: "RESULT_TIMEOUT" });
    expect(looks()).toBe(1);
    await expect(instance.result({ timeout: "soon" as never })).rejects.toMatchObject({
      code: "INVALID_DURATION",
    });
  });

  it("goes on with the run that a restart begins", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.QUOTE.create({ params: { nights: 1 } });
    await harness.runUntilIdle();
    const result = instance.result();
    await instance.restart();
    await harness.runThroughTime();
    await harness.clock.advance(1000);
    expect((await result).cents).toBe(9000);
  });

  it.each<[string, unknown, number]>([
    ["returns", "done", 0],
    ["throws", expect.objectContaining({ name: "RangeError", message: "thrown" }), 0],
    ["parks", "waits", 1],
  ])(
    "is seen at once, and without a look, when this process ends the run: one that %s",
    async (how, expected, looksTaken) => {
      const time = createFakeTime();
      let finish = (): void => {};
      const slow = defineWorkflow({ name: "slow" }, async (_event, step) => {
        const done = await step.do(
          "wait",
          () => new Promise<string>((resolve) => (finish = () => resolve("done"))),
        );
        if (how === "throws") throw new RangeError("thrown");
        if (how === "parks") await step.sleep("long", "1 day");
        return done;
      });
      const store = createMemoryStore({ now: time.now });
      let looks = 0;
      const loadInstance: typeof store.loadInstance = (...ref) => {
        looks += 1;
        return store.loadInstance(...ref);
      };
      const engine = createEngine({
        workflows: { SLOW: slow },
        store: { ...store, loadInstance },
        host: time.host,
        logger: { log: () => undefined },
      });
      const instance = await engine.workflows.SLOW.create();
      const ticked = engine.tick();
      await time.advance(0);
      const result = instance.result({ timeout: "1 hour" }).catch((error: unknown) => error);
      await time.advance(1600);
      finish();
      await ticked;
      const told = how === "parks" ? await Promise.race([result, Promise.resolve("waits")]) : null;
      // Time stands still, so none of its timers is due.
      expect(told ?? (await result)).toEqual(expected);
      expect(looks).toBe(looksTaken);
    },
  );

  it("is there on an engine that only ticks", async () => {
    const engine = createTickEngine({ workflows, store: createMemoryStore() });
    const instance = await engine.workflows.BROKEN.create();
    await engine.tick();
    await expect(instance.result()).rejects.toMatchObject({ message: "card refused" });
  });
});
