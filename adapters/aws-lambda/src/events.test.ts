/** What the handler makes of Lambda's events, one by one. */
import { describe, expect, test } from "vitest";
import { handler, scheduler } from "./index.ts";

const context = (remainingMs = 900_000) => {
  const endsAt = Date.now() + remainingMs;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() };
};

/** @source docs.aws.amazon.com/lambda/latest/dg/with-sqs, read 2026-11-21 */
const toQueueEvent = (...bodies: readonly string[]): object => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197547000${index}`,
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

describe("events", () => {
  const open = (tick: () => Promise<never> | Promise<object>) => {
    const ticks: unknown[] = [];
    const logged: unknown[] = [];
    const engine = {
      fetch: async () => new Response(),
      tick: (input: unknown) => (ticks.push(input), tick()),
    };
    const platform = scheduler({ queue: async () => undefined });
    const logger = {
      log: (_: string, event: string, fields: object) => void logged.push([event, fields]),
    };
    return { ticks, logged, run: handler(engine as never, { scheduler: platform, logger }) };
  };
  const IDLE = async () => ({ processed: 0, steps: 0, moreDue: false, nextWakeAt: null });

  test("a load balancer's request arrives with its query, headers and body, and its answer goes back", async () => {
    const platform = scheduler({ queue: async () => undefined });
    const fetch = async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url);
      const said = [request.method, pathname, searchParams.get("a"), request.headers.get("x-b")];
      return Response.json([...said, await request.text()], {
        status: 201,
        headers: { "x-c": "3" },
      });
    };
    const run = handler({ fetch, tick: IDLE }, { scheduler: platform });
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
  ])("an event of no known kind is refused by code and runs nothing: %j", async (event) => {
    const { run, ticks, logged } = open(IDLE);
    await expect(run(event, context())).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(ticks).toEqual([]);
    expect(logged).toMatchObject([["invocation.failed", { code: "INVALID_REQUEST" }]]);
  });
});
