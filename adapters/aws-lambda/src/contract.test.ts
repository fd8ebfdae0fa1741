/** The adapter contract through Lambda's own event shapes, the real AWS SDK, and a fake AWS that its service models judge. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { InvocationRequest$, InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { CreateScheduleInput$ } from "@aws-sdk/client-scheduler";
import { SendMessageRequest$ } from "@aws-sdk/client-sqs";
import { type AdapterWake, describeAdapterContract } from "@escapement/adapter-contract";
import { CONTRACT_TICK, CONTRACT_WORKFLOWS, withProbes } from "@escapement/adapter-contract/app";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, describe, expect, test } from "vitest";
import {
  handler,
  type LambdaHandler,
  oneTimeSchedules,
  scheduler,
  type SchedulerOptions,
  sqsQueue,
} from "./index.ts";

const QUEUE_URL = "https://sqs.eu-central-1.amazonaws.com/123456789012/wakes";
const QUEUE_ARN = "arn:aws:sqs:eu-central-1:123456789012:wakes";
const ROLE_ARN = "arn:aws:iam::123456789012:role/wakes";
const CREDENTIALS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "example" };

/** A structure of an SDK service model: kind, namespace, name, traits, members, their types, how many are required. */
type Model = readonly [3, string, string, unknown, readonly string[], readonly unknown[], number?];

/** What is wrong with a request's fields by the service model. */
function findFaults(model: unknown, fields: Readonly<Record<string, unknown>>): string[] {
  const [, , , , members, types, required = 0] = model as Model;
  const missing = members.slice(0, required).filter((member) => fields[member] === undefined);
  const unknown = Object.keys(fields).filter((field) => !members.includes(field));
  const nested = members.flatMap((member, index) => {
    const [value, type] = [fields[member], types[index]];
    if (value === undefined || typeof type !== "function") return [];
    const inner: unknown = (type as () => unknown)();
    const isStructure = Array.isArray(inner) && inner[0] === 3;
    return isStructure ? findFaults(inner, value as Readonly<Record<string, unknown>>) : [];
  });
  return [
    ...missing.map((name) => `no ${name}`),
    ...unknown.map((name) => `what is ${name}`),
    ...nested,
  ];
}

interface Sent {
  readonly service: "sqs" | "scheduler" | "lambda";
  readonly fields: Readonly<Record<string, unknown>>;
}

interface FakeAws {
  readonly url: string;
  readonly sent: Sent[];
  /** Names of the schedules that there are. */
  readonly names: Set<string>;
  /** While true, every request is refused. */
  isDown: boolean;
  readonly stop: () => Promise<void>;
}

const fakes: FakeAws[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.stop();
});

/** For one test. */
async function openFakeAws(): Promise<FakeAws> {
  const fake = await startFakeAws();
  fakes.push(fake);
  return fake;
}

async function startFakeAws(): Promise<FakeAws> {
  const names = new Set<string>();
  const server = createServer((request, response) => void take(request, response));
  const fake: FakeAws = {
    url: "",
    sent: [],
    names,
    isDown: false,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { service, model, fields } = readCall(request, text);
    const faults = findFaults(model, fields);
    const { Name: name } = fields;
    const error = fake.isDown
      ? "AccessDeniedException"
      : faults.length > 0 || !isWithinLimits(fields)
        ? "ValidationException"
        : service === "scheduler" && names.has(String(name))
          ? "ConflictException"
          : null;
    if (error !== null) {
      response.writeHead(error === "ConflictException" ? 409 : 400, { "x-amzn-errortype": error });
      response.end(JSON.stringify({ __type: error, Message: faults.join(", ") }));
      return;
    }
    if (service === "scheduler") names.add(String(name));
    fake.sent.push({ service, fields });
    const MD5OfMessageBody = createHash("md5").update(String(fields["MessageBody"])).digest("hex");
    response.writeHead(service === "lambda" ? 202 : 200, { "content-type": "application/json" });
    response.end(
      service === "lambda"
        ? ""
        : JSON.stringify({ MD5OfMessageBody, MessageId: "m", ScheduleArn: "arn" }),
    );
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const started = Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  return started;
}

/** The three calls, by the protocols of their services. */
function readCall(request: IncomingMessage, text: string): Sent & { readonly model: unknown } {
  const path = request.url ?? "";
  const name = /^\/schedules\/([^/?]+)$/.exec(path)?.[1];
  if (name !== undefined) {
    const fields = { Name: decodeURIComponent(name), ...(JSON.parse(text) as object) };
    return { service: "scheduler", model: CreateScheduleInput$, fields };
  }
  const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (functionName !== undefined) {
    const InvocationType = request.headers["x-amz-invocation-type"];
    const fields = { FunctionName: functionName, InvocationType, Payload: text };
    return { service: "lambda", model: InvocationRequest$, fields };
  }
  expect(request.headers["x-amz-target"]).toBe("AmazonSQS.SendMessage");
  const fields = JSON.parse(text) as Record<string, unknown>;
  return { service: "sqs", model: SendMessageRequest$, fields };
}

/** Ranges, which the SDK's models leave out. @source API references of SQS and EventBridge Scheduler */
const isWithinLimits = ({
  DelaySeconds = 0,
  Name = "n",
  ClientToken = "t",
}: Sent["fields"]): boolean =>
  Number.isInteger(DelaySeconds) &&
  Number(DelaySeconds) >= 0 &&
  Number(DelaySeconds) <= 900 &&
  /^[0-9a-zA-Z-_.]{1,64}$/.test(String(Name)) &&
  /^[a-zA-Z0-9-_]{1,64}$/.test(String(ClientToken));

const clientOf = (fake: FakeAws) => ({
  region: "eu-central-1",
  endpoint: fake.url,
  credentials: CREDENTIALS,
});

const portsOf = (fake: FakeAws): Required<Pick<SchedulerOptions, "queue" | "schedules">> => ({
  queue: sqsQueue(QUEUE_URL, clientOf(fake)),
  schedules: oneTimeSchedules({
    groupName: "wakes",
    queueArn: QUEUE_ARN,
    roleArn: ROLE_ARN,
    ...clientOf(fake),
  }),
});

const context = (remainingMs = 900_000) => {
  const endsAt = Date.now() + remainingMs;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() };
};

/** @source docs.aws.amazon.com/lambda/latest/dg/with-sqs, read 2026-11-21 */
const toQueueEvent = (...bodies: readonly string[]): object => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197547000${index}`,
    receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...",
    body,
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "1545082649183" },
    messageAttributes: {},
    md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
    eventSource: "aws:sqs",
    eventSourceARN: QUEUE_ARN,
    awsRegion: "eu-central-1",
  })),
});

/** @source docs.aws.amazon.com/lambda/latest/dg/urls-invocation, read 2026-11-21 */
const toUrlEvent = (
  method: string,
  path: string,
  headers: object,
  body: Uint8Array | null,
): object => {
  const [rawPath = "", rawQueryString = ""] = path.split("?");
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers: { host: "abc.lambda-url.eu-central-1.on.aws", ...headers },
    requestContext: {
      accountId: "anonymous",
      domainName: "abc.lambda-url.eu-central-1.on.aws",
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: "123.123.123.123" },
      routeKey: "$default",
      stage: "$default",
    },
    ...(body === null ? {} : { body: Buffer.from(body).toString("base64") }),
    isBase64Encoded: body !== null,
  };
};

/** @source docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions, read 2026-11-21 */
const toBalancerEvent = (
  method: string,
  path: string,
  headers: object,
  body: Uint8Array | null,
): object => {
  const [plain = "", query = ""] = path.split("?");
  const targetGroupArn =
    "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/t/6d0e";
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: method,
    path: plain,
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    headers: { host: "lambda-1.eu-central-1.elb.amazonaws.com", ...headers },
    body: body === null ? "" : Buffer.from(body).toString("base64"),
    isBase64Encoded: body !== null,
  };
};

interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const toResponse = (answer: HttpAnswer): Response => {
  const { statusCode: status, body, isBase64Encoded, cookies = [] } = answer;
  const headers = new Headers(answer.headers);
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(isBase64Encoded ? Buffer.from(body, "base64") : body, { status, headers });
};

function toWake(run: LambdaHandler, names: Set<string>, { service, fields }: Sent): AdapterWake {
  const { MessageBody: body, DelaySeconds: delaySeconds } = fields;
  const target = fields["Target"] as { readonly Input: string } | undefined;
  const instant = /^at\((.+)\)$/.exec(String(fields["ScheduleExpression"]))?.[1];
  const delayed = delaySeconds === 0 ? null : Date.now() + Number(delaySeconds) * 1000;
  return {
    at: service === "scheduler" ? Date.parse(`${instant}Z`) : delayed,
    deliver: async ({ remainingMs } = {}) => {
      // ActionAfterCompletion.
      names.delete(String(fields["Name"]));
      const event = toQueueEvent(target?.Input ?? String(body));
      expect(await run(event, context(remainingMs))).toEqual({ batchItemFailures: [] });
    },
  };
}

describeAdapterContract({
  name: "AWS Lambda",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: { maxWakeMs: Infinity, earlyMs: 120_000 },
  },
  open: async ({ hasTickSecrets, losesWakes }) => {
    const fake = await startFakeAws();
    const platform = scheduler(portsOf(fake));
    const engine = createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store: createMemoryStore(),
      platform,
      logger: { log: () => undefined },
      http: hasTickSecrets ? { tick: CONTRACT_TICK } : {},
    });
    const quiet = { log: (): void => undefined };
    const run = handler(withProbes(engine), { scheduler: platform, logger: quiet });
    fake.isDown = losesWakes;
    return {
      call: async ({ method, path, headers, body }) => {
        const event = toUrlEvent(method, path, headers, body);
        return toResponse((await run(event, context())) as HttpAnswer);
      },
      safetyTick: async () => void (await run({ kind: "tick" }, context())),
      takeWakes: () => fake.sent.splice(0).map((sent) => toWake(run, fake.names, sent)),
      teardown: () => fake.stop(),
    };
  },
});

describe("what AWS is asked", () => {
  test("a wake within 15 minutes is a delayed message; beyond, a schedule a minute early that deletes itself", async () => {
    const fake = await openFakeAws();
    const now = Date.parse("2026-11-21T12:00:20Z");
    const platform = scheduler({ ...portsOf(fake), namespace: "orders", now: () => now });
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    await platform.wakeAt(Date.parse("2026-11-21T13:30:45Z"), hint);
    await platform.wakeAt(now + 5_400, hint);
    const name = `orders-${Date.parse("2026-11-21T13:29:00Z") / 60_000}`;
    expect(fake.sent).toMatchObject([
      {
        service: "scheduler",
        fields: {
          Name: name,
          ClientToken: name,
          GroupName: "wakes",
          ScheduleExpression: "at(2026-11-21T13:29:00)",
          ScheduleExpressionTimezone: "UTC",
          FlexibleTimeWindow: { Mode: "OFF" },
          ActionAfterCompletion: "DELETE",
          Target: { Arn: QUEUE_ARN, RoleArn: ROLE_ARN, Input: '{"kind":"tick","hopCount":0}' },
        },
      },
      { service: "sqs", fields: { QueueUrl: QUEUE_URL, DelaySeconds: 6 } },
    ]);
  });

  test("two processes arm the same minute once, and the one that comes second takes it for armed", async () => {
    const fake = await openFakeAws();
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    const at = Date.now() + 7_200_000;
    for (let process = 0; process < 2; process += 1)
      await scheduler(portsOf(fake)).wakeAt(at, hint);
    expect(fake.sent).toHaveLength(1);
  });

  test("without schedules a far wake is chained in steps of 15 minutes, and no wake is sent without a delay", async () => {
    const fake = await openFakeAws();
    const platform = scheduler({ queue: portsOf(fake).queue });
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    await platform.wakeAt(Date.now() + 86_400_000, hint);
    await platform.wakeAt(Date.now() - 30_000, hint);
    expect(fake.sent.map(({ fields }) => fields["DelaySeconds"])).toEqual([900, 1]);
  });

  test("a hand-over by asynchronous invoke carries its hops, and wakes asked for at once share one call", async () => {
    const fake = await openFakeAws();
    const lambda = new LambdaClient(clientOf(fake));
    const invoke = async (body: string): Promise<void> => {
      const call = {
        FunctionName: "tick",
        InvocationType: "Event",
        Payload: Buffer.from(body),
      } as const;
      await lambda.send(new InvokeCommand(call));
    };
    const platform = scheduler({ ...portsOf(fake), invoke });
    const hint = { workflowName: null, instanceId: null, reason: "more", hopCount: 7 } as const;
    await Promise.all([platform.wakeNow(hint), platform.wakeNow(hint)]);
    const Payload = '{"kind":"tick","hopCount":7}';
    expect(fake.sent).toEqual([
      { service: "lambda", fields: { FunctionName: "tick", InvocationType: "Event", Payload } },
    ]);
  });

  test("a wake that AWS refuses is WAKE_FAILED", async () => {
    const fake = await openFakeAws();
    fake.isDown = true;
    const hint = { workflowName: null, instanceId: null, reason: "create" } as const;
    const asked = scheduler(portsOf(fake)).wakeNow(hint);
    await expect(asked).rejects.toMatchObject({ code: "WAKE_FAILED" });
  });
});

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
    const body = new TextEncoder().encode("désk");
    const event = toBalancerEvent("POST", "/p?a=1", { "x-b": "2" }, body);
    const answer = toResponse((await run(event, context())) as HttpAnswer);
    expect([answer.status, answer.headers.get("x-c")]).toEqual([201, "3"]);
    expect(await answer.json()).toEqual(["POST", "/p", "1", "2", "désk"]);
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
