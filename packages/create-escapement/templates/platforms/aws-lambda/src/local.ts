/**
 * Runs the application on this machine as the stack would: one function for requests and one for ticks, each with one
 * invocation at a time, and a queue between them. For trying it out; nothing of it is deployed.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Handler = (event: unknown, context: object) => Promise<unknown>;

interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const server = createServer((request, response) => {
  // The function has logged why; who called Lambda would be told no more.
  answer(request, response).catch(() => response.writeHead(502).end());
});
await new Promise<void>((resolve) =>
  server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", resolve),
);
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  // The SDK sends what it has for SQS here. A wake beyond 15 minutes goes nowhere: the safety-net tick finds it.
  AWS_ENDPOINT_URL: url,
  ESCAPEMENT_QUEUE_URL: `${url}/wakes`,
  ESCAPEMENT_QUEUE_ARN: "arn:aws:sqs:eu-central-1:000000000000:wakes",
  ESCAPEMENT_SCHEDULE_GROUP: "wakes",
  ESCAPEMENT_SCHEDULE_ROLE_ARN: "arn:aws:iam::000000000000:role/wakes",
  ESCAPEMENT_NAMESPACE: "escapement-app",
});
// Somebody may call before they are there.
const [api, tick] = [startFunction("api", 30_000), startFunction("tick", 300_000)];
await Promise.all([api, tick]);
const SAFETY_NET_MS = 300_000;
setInterval(() => void ring({ kind: "tick" }), SAFETY_NET_MS);
console.log(`listening ${url}`);

/** A module of its own for each function: two sandboxes share nothing but the database. */
async function startFunction(
  name: string,
  timeoutMs: number,
): Promise<(event: unknown) => Promise<unknown>> {
  const module = (await import(`./main.ts?function=${name}`)) as { readonly handler: Handler };
  let last: Promise<unknown> = Promise.resolve();
  return (event) => {
    const invoke = (): Promise<unknown> => {
      const endsAt = Date.now() + timeoutMs;
      return module.handler(event, { getRemainingTimeInMillis: () => endsAt - Date.now() });
    };
    return (last = last.then(invoke, invoke));
  };
}

/** What fails is logged by the function, and found by the safety net. */
async function ring(event: object): Promise<void> {
  const take = await tick;
  await take(event).catch(() => undefined);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (request.headers["x-amz-target"] === "AmazonSQS.SendMessage") takeMessage(body, response);
  else if (request.headers["x-amz-date"] === undefined) await takeRequest(request, body, response);
  else response.writeHead(501).end();
}

/** A queue that delivers once the delay is over, and does not come back to what failed. */
function takeMessage(message: Buffer, response: ServerResponse): void {
  const fields = JSON.parse(message.toString()) as { MessageBody: string; DelaySeconds?: number };
  const { MessageBody: body, DelaySeconds: delaySeconds = 0 } = fields;
  const record = { messageId: crypto.randomUUID(), body, eventSource: "aws:sqs" };
  setTimeout(() => void ring({ Records: [record] }), delaySeconds * 1000);
  const MD5OfMessageBody = createHash("md5").update(body).digest("hex");
  response.setHeader("content-type", "application/x-amz-json-1.0");
  response.end(JSON.stringify({ MessageId: record.messageId, MD5OfMessageBody }));
}

/** @source docs.aws.amazon.com/lambda/latest/dg/urls-invocation, read 2026-11-21 */
async function takeRequest(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const [rawPath = "", rawQueryString = ""] = (request.url ?? "").split("?");
  const { method } = request;
  const call = await api;
  const answered = (await call({
    version: "2.0",
    rawPath,
    rawQueryString,
    headers: request.headers,
    requestContext: { domainName: request.headers.host, http: { method, path: rawPath } },
    ...(body.length === 0 ? {} : { body: body.toString("base64") }),
    isBase64Encoded: body.length > 0,
  })) as HttpAnswer;
  response.writeHead(answered.statusCode, answered.headers);
  response.end(Buffer.from(answered.body, answered.isBase64Encoded ? "base64" : "utf8"));
}
