/** How the handler treats each of Lambda's events. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { IDLE_TICK } from "@escapement/engine/adapter";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { describe, expect, test, vi } from "vitest";
import { createLambdaPlatform, handler } from "./index.ts";

const context = (remainingMs = 900_000) => {
  const endsAt = Date.now() + remainingMs;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() };
};

/** @source docs.aws.amazon.com/lambda/latest/dg/with-sqs, read 2026-11-21 */
const toQueueEvent = (...bodies: readonly string[]): object => toReceivedEvent(1, ...bodies);

const toReceivedEvent = (receiveCount: number, ...bodies: readonly string[]): object => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197547000${index}`,
    receiptHandle: `receipt-${index}`,
    attributes: { ApproximateReceiveCount: String(receiveCount) },
    body,
    eventSource: "aws:sqs",
  })),
});

/** @source docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions, read 2026-11-21 */
const BALANCER_EVENT = {
  requestContext: { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:::targetgroup/t/6d0e" } },
  httpMethod: "POST",
  path: "/p",
  queryStringParameters: { a: "1" },
  headers: { host: "lambda-1.eu-central-1.elb.amazonaws.com", "x-b": "2" },
  body: Buffer.from("désk").toString("base64"),
  isBase64Encoded: true,
};

/** How long each extension keeps a message from being delivered again. */
const HELD_SECONDS = 9;

describe("events", () => {
  const open = (
    tick: () => Promise<never> | Promise<object>,
    { isAway = false, ...bounds }: { readonly isAway?: boolean; readonly lingerMs?: number } = {},
  ) => {
    const ticks: unknown[] = [];
    const logged: unknown[] = [];
    const redelivered: unknown[] = [];
    const engine = {
      fetch: async () => new Response(),
      tick: (input: unknown) => (ticks.push(input), tick()),
    };
    const held: string[] = [];
    const redeliver = async (receiptHandle: string, delaySeconds: number): Promise<void> => {
      if (delaySeconds === HELD_SECONDS) held.push(receiptHandle);
      else redelivered.push([receiptHandle, delaySeconds]);
      if (isAway) throw new TypeError("no SQS");
    };
    const queue = Object.assign(async () => undefined, { redeliver });
    const platform = createLambdaPlatform({ queue });
    const logger = {
      log: (_: string, event: string, fields: object) => void logged.push([event, fields]),
    };
    const run = handler(engine as never, { platform, logger, ...bounds });
    return { held, ticks, logged, redelivered, run };
  };
  const IDLE = async () => IDLE_TICK;

  test("a load balancer's request arrives with its query, headers and body, and its answer goes back", async () => {
    const platform = createLambdaPlatform({ queue: async () => undefined });
    const fetch = async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url);
      const said = [request.method, pathname, searchParams.get("a"), request.headers.get("x-b")];
      return Response.json([...said, await request.text()], {
        status: 201,
        headers: { "x-c": "3" },
      });
    };
    const run = handler({ fetch, tick: IDLE }, { platform });
    const answer = await run(BALANCER_EVENT, context());
    expect(answer).toMatchObject({ statusCode: 201, headers: { "x-c": "3" } });
    const { body } = answer as { readonly body: string };
    expect(JSON.parse(body)).toEqual(["POST", "/p", "1", "2", "désk"]);
  });

  test("a batch is one tick; a message that is no wake goes back alone", async () => {
    const { run, ticks, logged } = open(IDLE);
    const answer = await run(
      toQueueEvent('{"kind":"tick"}', "?", '{"kind":"tick","hopCount":2}'),
      context(60_000),
    );
    const itemIdentifier = "059f36b4-87a3-44ab-83d2-661975470001";
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(ticks).toHaveLength(1);
    expect(logged).toMatchObject([["wake.unreadable", { messageId: itemIdentifier }]]);
  });

  test("when the tick fails every wake goes back, and the log says why", async () => {
    const { run, logged } = open(() => Promise.reject(new TypeError("no database")));
    const answer = await run(toQueueEvent('{"kind":"tick"}', '{"kind":"tick"}'), context());
    expect(answer).toMatchObject({ batchItemFailures: [{}, {}] });
    expect(logged).toMatchObject([["invocation.failed", { error: "TypeError: no database" }]]);
  });

  test("what failed comes again soon, and the less often the longer it fails", async () => {
    const { run, redelivered } = open(() => Promise.reject(new TypeError("no database")));
    for (const count of [1, 2, 3, 5, 6, 100])
      await run(toReceivedEvent(count, '{"kind":"tick"}'), context());
    await run(toQueueEvent("?", '{"kind":"tick"}'), context());
    expect(redelivered).toEqual([
      ...[1, 2, 4, 16, 30, 30].map((seconds) => ["receipt-0", seconds]),
      ["receipt-0", 1],
      ["receipt-1", 1],
    ]);
  });

  test("S9-012 a message in hand is delivered again some seconds after its sandbox was last heard of", async () => {
    vi.useFakeTimers();
    const gate = { open: (): void => {} };
    const { held, run } = open(async () => {
      await new Promise<void>((resolve) => (gate.open = resolve));
      return IDLE_TICK;
    });
    const answer = run(toQueueEvent('{"kind":"tick"}', "?", '{"kind":"tick"}'), context());
    await vi.advanceTimersByTimeAsync(1);
    expect(held).toEqual(["receipt-0", "receipt-2"]);
    await vi.advanceTimersByTimeAsync(HELD_SECONDS * 1000);
    expect(held.length).toBeGreaterThanOrEqual(6);
    gate.open();
    await answer;
    const { length } = held;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(held).toHaveLength(length);
    vi.useRealTimers();
  });

  const OF_REQUEST = '{"kind":"tick","isOfRequest":true}';
  const LINK = '{"kind":"tick","hopCount":0,"at":9000,"thenAt":60000}';
  const NET = '{"kind":"tick"}';

  test.each([
    ["that requests began", 1, [OF_REQUEST, OF_REQUEST], { wakesFor: "own", thenWakeAt: null }],
    ["of a wake, told of the next", 1, [LINK], { wakesFor: "due", thenWakeAt: 60_000 }],
    ["of a request and a wake", 1, [OF_REQUEST, LINK], { wakesFor: "due" }],
    ["handed on", 1, ['{"kind":"tick","hopCount":2}'], { wakesFor: "due", thenWakeAt: null }],
    ["of the schedule", 1, [OF_REQUEST, NET], { wakesFor: "any" }],
    ["that is delivered again", 2, [OF_REQUEST], { wakesFor: "any" }],
  ])("S9-011 a batch %s wakes for what is its to wake for", async (_what, count, bodies, input) => {
    const { run, ticks } = open(IDLE);
    await run(toReceivedEvent(count, ...bodies), context());
    expect(ticks).toMatchObject([input]);
  });

  test("S9-012 wakes of a newer deployment, which runs a workflow more, are left to it within a second", async () => {
    const [ticks, sent]: [unknown[], [object, number][]] = [[], []];
    const platform = createLambdaPlatform({
      queue: Object.assign(
        async (body: string, seconds: number) =>
          void sent.push([JSON.parse(body) as object, seconds]),
        { redeliver: async () => undefined },
      ),
    });
    const engine = {
      fetch: async () => new Response(),
      tick: async (input: unknown) => (ticks.push(input), IDLE_TICK),
      listWorkflows: () => [{ name: "order" }],
    };
    platform.attach(engine);
    const run = handler(engine, { platform });
    const newer = { kind: "tick", at: 9000, workflows: ["order", "refund"] };
    await run(toQueueEvent(JSON.stringify(newer)), context());
    await run(toQueueEvent(JSON.stringify(newer), LINK), context());
    expect(sent).toMatchObject([
      [{ ...newer, forwardCount: 1 }, 1],
      [{ ...newer, forwardCount: 1 }, 1],
    ]);
    expect(ticks).toMatchObject([{ wakesFor: "own" }, { wakesFor: "due", thenWakeAt: 60_000 }]);
    // While the database is down, each would become two, then four, if the original were delivered again as well.
    const away = handler(
      { ...engine, tick: () => Promise.reject(new Error("away")) },
      { platform },
    );
    const answer = await away(toQueueEvent(JSON.stringify(newer), LINK), context());
    expect(sent).toHaveLength(3);
    expect(answer).toMatchObject({
      batchItemFailures: [{ itemIdentifier: expect.stringMatching(/1$/) }],
    });
  });

  test("S9-011 where a message of who dies comes late, each tick wakes for all", async () => {
    const ticks: unknown[] = [];
    const tick = async (input: unknown) => (ticks.push(input), IDLE_TICK);
    const platform = createLambdaPlatform({ queue: async () => undefined });
    const run = handler({ fetch: async () => new Response(), tick }, { platform });
    await run(toQueueEvent(OF_REQUEST), context());
    expect(ticks).toMatchObject([{ wakesFor: "any" }]);
  });

  test.each([
    ["cannot send its wake", { ...IDLE_TICK, nextWakeInMs: 5000 }],
    ["had no time to look", { ...IDLE_TICK, moreDue: true }],
  ])("S9-012 a message whose tick %s comes again: nobody else would", async (_why, output) => {
    const silent = { log: () => undefined };
    const queue = async (): Promise<never> => Promise.reject(new TypeError("no SQS"));
    const platform = createLambdaPlatform({ queue });
    const engine = { fetch: async () => new Response(), tick: async () => output };
    const run = handler(engine, { platform, logger: silent });
    const answer = await run(toQueueEvent(LINK), context());
    expect(answer).toMatchObject({ batchItemFailures: [{}] });
  });

  test("a batch that succeeds is not asked for again", async () => {
    const { run, redelivered } = open(IDLE);
    await run(toQueueEvent('{"kind":"tick"}'), context());
    expect(redelivered).toEqual([]);
  });

  test("where SQS cannot be told, wakes tick all the same, what failed is still reported, and the log says that it comes late", async () => {
    const failing = (): Promise<never> => Promise.reject(new TypeError("no database"));
    const { run, logged } = open(failing, { isAway: true });
    const answer = await run(toQueueEvent('{"kind":"tick"}'), context());
    expect(answer).toMatchObject({ batchItemFailures: [{}] });
    expect(logged).toMatchObject([
      ["redelivery.failed", { code: "WAKE_FAILED" }],
      ["invocation.failed", {}],
      ["redelivery.failed", { code: "WAKE_FAILED" }],
    ]);
  });

  // Managed Instances do not end an invocation that exceeds its time.
  test.each([0, -5])("with %i ms left nothing is taken for done", async (remainingMs) => {
    const store = createMemoryStore();
    const redelivered: unknown[] = [];
    const queue = Object.assign(async () => undefined, {
      redeliver: async (...asked: unknown[]) => void redelivered.push(asked),
    });
    const platform = createLambdaPlatform({ queue });
    const workflows = { NAP: defineWorkflow({ name: "nap" }, async () => "awake") };
    const engine = createEngine({ workflows, store, platform, http: { open: true } });
    await engine.workflows.NAP.create({ id: "x" });
    const run = handler(engine, { platform, logger: { log: () => undefined } });
    const over = { getRemainingTimeInMillis: () => remainingMs };
    expect(await run(toQueueEvent(NET), over)).toMatchObject({ batchItemFailures: [{}] });
    expect(redelivered.at(-1)).toEqual(["receipt-0", 1]);
    await expect(run({ kind: "tick" }, over)).rejects.toMatchObject({ code: "WAKE_FAILED" });
    expect(await engine.workflows.NAP.get("x").then((one) => one.status())).toMatchObject({
      status: "queued",
    });
  });

  test("a tick lingers for what comes due only where it is told to: the queue wakes as exactly", async () => {
    const quiet = open(IDLE);
    await quiet.run({ kind: "tick" }, context());
    expect(quiet.ticks).toMatchObject([{ lingerMs: 0 }]);
    const lingering = open(IDLE, { lingerMs: 2000 });
    await lingering.run({ kind: "tick" }, context());
    expect(lingering.ticks).toMatchObject([{ lingerMs: 2000 }]);
  });

  test.each([
    { kind: "tick", hopCount: 3 },
    { version: "0", "detail-type": "Scheduled Event", source: "aws.scheduler", detail: "{}" },
    { version: "0", "detail-type": "Scheduled Event", source: "aws.events", detail: {} },
  ])(
    "an asynchronous invocation or a schedule ticks by the time that is left: %j",
    async (event) => {
      const { run, ticks } = open(IDLE);
      const earliest = Date.now() + 60_000;
      await run(event, context(60_000));
      const [{ deadline }] = ticks as [{ deadline: number }];
      expect(deadline - earliest).toBeLessThan(5000);
      expect(deadline).toBeGreaterThanOrEqual(earliest);
    },
  );

  test.each([
    null,
    7,
    [],
    {},
    { Records: [{ eventSource: "aws:s3" }] },
    { kind: "tick", hopCount: -1 },
    { kind: "tick", at: "soon" },
  ])("an event of no known kind is refused by code and runs nothing: %j", async (event) => {
    const { run, ticks, logged } = open(IDLE);
    await expect(run(event, context())).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(ticks).toEqual([]);
    expect(logged).toMatchObject([["invocation.failed", { code: "INVALID_REQUEST" }]]);
  });
});
