import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, defineWorkflow, NonRetryableError, type WorkflowError } from "../index.ts";
import type { FetchHandlerOptions } from "../http/options.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createTickEngine } from "./tick-engine.ts";

const quote = defineWorkflow(
  {
    name: "quote",
    schema: z.object({ nights: z.number(), napMs: z.number().default(0) }),
    output: z.object({ cents: z.number() }),
  },
  async ({ payload }, step) => {
    if (payload.napMs > 0) await step.sleep("think", payload.napMs);
    return { cents: payload.nights * 9000 };
  },
);
const broken = defineWorkflow({ name: "broken" }, async (_event, step) => {
  await step.do("charge", () => {
    throw new NonRetryableError("card refused", "CardError");
  });
});
const workflows = { QUOTE: quote, BROKEN: broken };
const INSTANCES = "http://x/api/workflows/workflows/quote/instances";

/** A process on virtual time that counts its calls on the store by verb. */
function openProcess(http: FetchHandlerOptions = { open: true }) {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const counts = { creates: 0, looks: 0 };
  const engine = createEngine({
    workflows,
    store: {
      ...store,
      create: (instances) => {
        counts.creates += 1;
        return store.create(instances);
      },
      loadInstance: (...ref) => {
        counts.looks += 1;
        return store.loadInstance(...ref);
      },
    },
    host: time.host,
    http: { ...http, logger: { log: () => undefined } },
    logger: { log: () => undefined },
  });
  const send = async (path: string, body?: unknown, headers: object = {}) => {
    const request = {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await engine.fetch(new Request(`${INSTANCES}${path}`, request));
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { engine, time, counts, send };
}

const settledOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (error: WorkflowError) => ({ error }),
  );

describe("S6-019 execute", () => {
  it("S6-019 gives the output, typed, and takes no look where a loop of this process runs it, however long that takes", async () => {
    const { engine, time, counts } = openProcess();
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("wait", () => new Promise<string>((resolve) => (finish = () => resolve("done")))),
    );
    let finish = (): void => {};
    const loop = engine.startLoop();
    const executed = engine.workflows.QUOTE.execute({ params: { nights: 2 } });
    await time.advance(0);
    const { cents } = await executed;
    expect(cents).toBe(18_000);
    expect(counts.creates).toBe(1);
    expect(counts.looks).toBe(0);
    await loop.stop();

    let looks = 0;
    const store = createMemoryStore({ now: time.now });
    const loadInstance: typeof store.loadInstance = (...ref) => {
      looks += 1;
      return store.loadInstance(...ref);
    };
    const other = createEngine({
      workflows: { SLOW: slow },
      store: { ...store, loadInstance },
      host: time.host,
    });
    const otherLoop = other.startLoop();
    const long = other.workflows.SLOW.execute({ timeout: "1 hour" });
    await time.advance(500_000);
    finish();
    await expect(long).resolves.toBe("done");
    expect(looks).toBe(0);
    await otherLoop.stop();
  });

  it("S6-019 throws the run's error, INSTANCE_TERMINATED or RESULT_TIMEOUT, which names the instance that goes on", async () => {
    const { engine, time } = openProcess();
    const loop = engine.startLoop();
    const failed = settledOf(engine.workflows.BROKEN.execute());
    await time.advance(2000);
    expect(await failed).toMatchObject({ error: { name: "CardError", message: "card refused" } });
    const params = { nights: 1, napMs: 3_600_000 };
    const late = settledOf(engine.workflows.QUOTE.execute({ params, timeout: "3 seconds" }));
    await time.advance(3000);
    const { error } = (await late) as { readonly error: WorkflowError };
    expect(error).toMatchObject({ code: "RESULT_TIMEOUT", details: { timeoutMs: 3000 } });
    const going = await engine.workflows.QUOTE.get(String(error.details["instanceId"]));
    expect(await going.status()).toMatchObject({ status: "waiting" });
    const terminated = settledOf(engine.workflows.QUOTE.execute({ id: "t", params }));
    await time.advance(100);
    await (await engine.workflows.QUOTE.get("t")).terminate();
    await time.advance(1000);
    expect(await terminated).toMatchObject({ error: { code: "INSTANCE_TERMINATED" } });
    await loop.stop();
  });

  it("S6-019 a run that is terminated elsewhere while this process runs it is told of within a lease", async () => {
    const time = createFakeTime();
    const store = createMemoryStore({ now: time.now });
    const stuck = defineWorkflow({ name: "stuck" }, (_event, step) =>
      step.do("wait", () => new Promise<string>(() => {})),
    );
    const options = { workflows: { STUCK: stuck }, store, host: time.host };
    const [here, elsewhere] = [createEngine(options), createEngine(options)];
    const loop = here.startLoop();
    const result = settledOf(here.workflows.STUCK.execute({ id: "x" }));
    await time.advance(100);
    await (await elsewhere.workflows.STUCK.get("x")).terminate();
    await time.advance(8000);
    expect(await result).toMatchObject({ error: { code: "INSTANCE_TERMINATED" } });
    const stopped = loop.stop();
    await time.advance(10_000);
    await stopped;
  });

  it("S6-019 what is wrong is refused before anything is created", async () => {
    const { engine, counts } = openProcess();
    const { QUOTE } = engine.workflows;
    const params = { nights: 1 };
    const wrong: readonly (readonly [object, string])[] = [
      [{ params, timeout: "soon" }, "INVALID_DURATION"],
      [{ params, timeout: -1 }, "INVALID_DURATION"],
      [{ params: { nights: "two" } }, "INVALID_PARAMS"],
      [{ params, id: "../x" }, "INVALID_INSTANCE_ID"],
      [{ params, timeOut: 1 }, "UNKNOWN_OPTION"],
    ];
    for (const [options, code] of wrong)
      await expect(QUOTE.execute(options as never)).rejects.toMatchObject({ code });
    expect(counts).toEqual({ creates: 0, looks: 0 });
  });

  it("S6-019 called again under its idempotency key it gives the same result, of one run", async () => {
    const { engine, time } = openProcess();
    const loop = engine.startLoop();
    const execute = () =>
      engine.workflows.QUOTE.execute({ params: { nights: 3 }, idempotencyKey: "k" });
    const outcomes: unknown[] = [];
    const both = settledOf(Promise.all([execute(), execute()]));
    void both.then((outcome) => outcomes.push(outcome));
    // Hashing a key does not block the event loop, and takes a while.
    while (outcomes.length === 0) await time.advance(100);
    expect(outcomes).toEqual([{ value: [{ cents: 27_000 }, { cents: 27_000 }] }]);
    expect(await execute()).toEqual({ cents: 27_000 });
    const list = await engine.listInstances("quote", {});
    expect(list.instances).toHaveLength(1);
    await loop.stop();
  });

  it("S6-019 is there on an engine that only ticks", async () => {
    const engine = createTickEngine({ workflows, store: createMemoryStore() });
    const executed = engine.workflows.QUOTE.execute({ params: { nights: 1 } });
    await expect.poll(() => engine.tick(), { interval: 1 }).toMatchObject({ processed: 1 });
    await expect(executed).resolves.toEqual({ cents: 9000 });
  });
});

describe("S6-019 the long poll over HTTP", () => {
  it("S6-019 answers a create with its output as soon as it has ended, and else with what it is after waitMs", async () => {
    const { engine, time, send } = openProcess();
    const loop = engine.startLoop();
    const quick = send("?waitMs=20000", { id: "a", params: { nights: 1 } });
    await time.advance(1000);
    expect(await quick).toEqual({
      status: 200,
      body: { id: "a", details: { status: "complete", runNumber: 1, output: { cents: 9000 } } },
    });
    const params = { nights: 1, napMs: 30_000 };
    const long = send("?waitMs=5000", { id: "b", params });
    await time.advance(5000);
    expect(await long).toMatchObject({
      status: 200,
      body: { id: "b", details: { status: "waiting" } },
    });
    const again = send("/b?waitMs=20000");
    await time.advance(20_000);
    expect(await again).toMatchObject({ body: { details: { status: "waiting" } } });
    const last = send("/b?waitMs=20000");
    await time.advance(6000);
    expect(await last).toMatchObject({ body: { details: { output: { cents: 9000 } } } });
    await loop.stop();
  });

  it("S6-019 looks no more than once a second in the end, and once without waitMs", async () => {
    const { engine, time, counts, send } = openProcess();
    await engine.workflows.QUOTE.create({ id: "a", params: { nights: 1 } });
    const polled = send("/a?waitMs=20000");
    await time.advance(20_000);
    expect(await polled).toMatchObject({ body: { details: { status: "queued" } } });
    expect(counts.looks).toBeLessThanOrEqual(26);
    const before = counts.looks;
    await send("/a?waitMs=0");
    await send("/a");
    expect(counts.looks - before).toBe(2);
  });

  it.each(["-1", "20001", "1e3", "", "Infinity", "10&waitMs=20", "0x10", "soon"])(
    "S6-019 refuses waitMs=%s, and creates nothing",
    async (waitMs) => {
      const { engine, counts, send } = openProcess();
      await engine.workflows.QUOTE.create({ id: "a", params: { nights: 1 } });
      for (const answer of [
        await send(`?waitMs=${waitMs}`, { id: "b", params: { nights: 1 } }),
        await send(`/a?waitMs=${waitMs}`),
      ])
        expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
      expect(counts.creates).toBe(1);
    },
  );

  it.each([-1, 20_001, 0.5, Number.NaN, "10" as never])(
    "S6-019 getInstance refuses waitMs %s",
    async (waitMs) => {
      const { engine } = openProcess();
      await expect(engine.getInstance("quote", "a", { waitMs })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    },
  );

  it("S6-019 tells who may create and not read the status alone, not output nor error", async () => {
    const deny = (): Response => new Response(null, { status: 403 });
    const { engine, time, send } = openProcess({ open: true, policies: { read: deny } });
    const loop = engine.startLoop();
    const created = send("?waitMs=20000", { id: "a", params: { nights: 1 } });
    await time.advance(1000);
    expect((await created).body).toEqual({
      id: "a",
      details: { status: "complete", runNumber: 1 },
    });
    const taken = await send("?waitMs=100", {
      id: "a",
      params: { nights: 1 },
      onExisting: "return",
    });
    expect(taken).toMatchObject({ status: 409, body: { code: "INSTANCE_ID_ALREADY_EXISTS" } });
    await loop.stop();
  });
});
