/** Answers in Lambda's form, up to the limits of Lambda and load balancers. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";
import { createLambdaPlatform, handler } from "./index.ts";

const toUrlEvent = (path: string) => ({
  version: "2.0",
  rawPath: path,
  rawQueryString: "payloads=full",
  headers: {},
  requestContext: { domainName: "a.test", http: { method: "GET", path } },
});
const toBalancerEvent = (path: string) => ({
  requestContext: { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:::targetgroup/t/6d0e" } },
  httpMethod: "GET",
  path,
  queryStringParameters: {},
  headers: { host: "b.test" },
  body: "",
  isBase64Encoded: false,
});

const QUIET = { log: () => undefined };
const toAnswer = (fetch: (request: Request) => Promise<Response>) => {
  const engine = { fetch, tick: () => Promise.reject(new TypeError("nothing ticks here")) };
  const run = handler(engine, {
    platform: createLambdaPlatform({ queue: async () => undefined }),
    logger: QUIET,
  });
  return async (event: unknown): Promise<Answer> =>
    (await run(event, { getRemainingTimeInMillis: () => 30_000 })) as Answer;
};

interface Answer {
  readonly statusCode: number;
  readonly body: string;
}

test.each([
  ["a Function URL", toUrlEvent("/"), 6_000_000],
  ["a load balancer", toBalancerEvent("/"), 1_000_000],
])("an answer larger than %s takes is refused by code", async (_name, event, maxBytes) => {
  const answerWith = async (body: string): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    return toAnswer(async () => new Response(body, { headers }))(event);
  };
  const fits = await answerWith("x".repeat(maxBytes - 200));
  expect(fits.statusCode).toBe(200);
  // Escapes count: for Lambda, each quote takes two bytes.
  for (const body of ["x".repeat(maxBytes), '"'.repeat(maxBytes / 2), "é".repeat(maxBytes / 2)]) {
    const refused = await answerWith(body);
    expect(refused.statusCode).toBe(413);
    expect(JSON.parse(refused.body)).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  }
});

test("a page of the largest results that there can be, all of them escapes, fits into Lambda's answer", async () => {
  // 1 MiB as JSON, and Lambda's answer doubles each of its bytes.
  const large = '"'.repeat(524_287);
  const work = defineWorkflow({ name: "w", events: {} }, async (_event, step) => {
    for (const name of ["a", "b"]) await step.do(name, () => large);
    return large;
  });
  const engine = createEngine({
    workflows: { W: work },
    store: createMemoryStore(),
    http: { open: true },
    logger: QUIET,
  });
  const { id } = await engine.workflows.W.create();
  await engine.tick({});
  const path = `/api/workflows/workflows/w/instances/${id}`;
  const answer = toAnswer(engine.fetch);
  for (const url of [path, `${path}/history`]) {
    const answered = await answer(toUrlEvent(url));
    expect(answered.statusCode).toBe(200);
    expect(Buffer.byteLength(JSON.stringify(answered))).toBeGreaterThan(2_000_000);
  }
});
