/** Events as Lambda delivers them, and what it makes of the answers. */

export const QUEUE_URL = "https://sqs.eu-central-1.amazonaws.com/123456789012/wakes";
export const QUEUE_ARN = "arn:aws:sqs:eu-central-1:123456789012:wakes";
export const ROLE_ARN = "arn:aws:iam::123456789012:role/wakes";

/** The input of the stack's safety-net schedule, which comes by the queue, and of an asynchronous invocation. */
export const TICK = '{"kind":"tick"}';

export interface HttpInput {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** @source docs.aws.amazon.com/lambda/latest/dg/with-sqs, read 2026-11-21 */
export const toQueueEvent = (...bodies: readonly string[]): object => toReceivedEvent(1, ...bodies);

/** The same of messages that are delivered for the so manieth time. */
export const toReceivedEvent = (receiveCount: number, ...bodies: readonly string[]): object => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197547000${index}`,
    receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...",
    body,
    attributes: { ApproximateReceiveCount: String(receiveCount), SentTimestamp: "1545082649183" },
    messageAttributes: {},
    md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
    eventSource: "aws:sqs",
    eventSourceARN: QUEUE_ARN,
    awsRegion: "eu-central-1",
  })),
});

/**
 * Text comes as it is, anything else in Base64.
 *
 * @source docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions, read 2026-11-21; for Function URLs
 *   the rule is taken to be the same
 */
function toBody(headers: HttpInput["headers"], body: Uint8Array): object {
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/.test(
    headers["content-type"] ?? "",
  );
  const bytes = Buffer.from(body);
  return { body: bytes.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

/** @source docs.aws.amazon.com/lambda/latest/dg/urls-invocation, read 2026-11-21 */
export function toUrlEvent({ method, path, headers, body }: HttpInput): object {
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
    ...(body === null ? { isBase64Encoded: false } : toBody(headers, body)),
  };
}

/** @source docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions, read 2026-11-21 */
export function toBalancerEvent({ method, path, headers, body }: HttpInput): object {
  const [plain = "", query = ""] = path.split("?");
  const targetGroupArn =
    "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/t/6d0e";
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: method,
    path: plain,
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    headers: { host: "lambda-1.eu-central-1.elb.amazonaws.com", ...headers },
    ...toBody(headers, body ?? new Uint8Array()),
  };
}

interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

export function toResponse(answer: unknown): Response {
  const { statusCode: status, body, isBase64Encoded, ...head } = answer as HttpAnswer;
  const headers = new Headers(head.headers);
  for (const cookie of head.cookies ?? []) headers.append("set-cookie", cookie);
  // A status that has no body, such as 304, takes none: not even an empty one.
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}
