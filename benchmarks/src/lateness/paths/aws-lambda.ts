/** Lambda: a delayed message up to 15 minutes ahead, a one-time schedule beyond, and a safety-net schedule. */
import { createLambdaPlatform, handler } from "@escapement/aws-lambda";
import { createEngine } from "@escapement/engine";
import { type Cause, every, QUIET, type WakePath, type World } from "../wake-path.ts";

/** What `deploy` gives the tick function. */
const TICK_LIMIT_MS = 300_000;
const SAFETY_MS = 3_600_000;
const MINUTE_MS = 60_000;

const openLambda =
  (hasSchedules: boolean): WakePath["open"] =>
  ({ store, time, random, workflows, invoked }: World) => {
    const names = new Set<string>();
    const invoke = (event: unknown): Promise<unknown> => {
      const endsAt = time.now() + TICK_LIMIT_MS;
      return run(event, { getRemainingTimeInMillis: () => endsAt - time.now() });
    };
    const send = (body: string, delaySeconds: number, by: Cause = "wake"): void => {
      const event = { Records: [{ eventSource: "aws:sqs", messageId: "1", body }] };
      time.at(time.now() + delaySeconds * 1000 + random(1000), () => {
        invoked(by);
        void invoke(event);
      });
    };
    const platform = createLambdaPlatform({
      queue: async (body, delaySeconds) => send(body, delaySeconds),
      ...(hasSchedules && {
        schedules: async (name: string, at: number, body: string) => {
          if (!names.has(name)) time.at(at + random(MINUTE_MS), () => send(body, 0));
          names.add(name);
        },
      }),
    });
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    const run = handler(engine, { platform, logger: QUIET });
    const tick = (): void => send('{"kind":"tick"}', 0, "schedule");
    every(time, { periodMs: SAFETY_MS, lateMs: () => random(MINUTE_MS), run: tick });
    return async (request) => {
      invoked("request");
      return invoke(await toUrlEvent(request));
    };
  };

/** What a function URL makes of a request. */
export async function toUrlEvent(request: Request): Promise<object> {
  const { pathname: rawPath, host } = new URL(request.url);
  const headers = { host, ...Object.fromEntries(request.headers) };
  const http = { method: request.method, path: rawPath, sourceIp: "192.0.2.1" };
  const requestContext = { http, domainName: host, stage: "$default" };
  const body = await request.text();
  return { version: "2.0", rawPath, rawQueryString: "", headers, requestContext, body };
}

const QUEUE_MODEL = "SQS 0–1 s after a delay in whole seconds (assumed)";

export const LAMBDA_QUEUE: WakePath = {
  name: "awsLambdaQueue",
  says: "Lambda: SQS delay, chained beyond 15 min",
  model: QUEUE_MODEL,
  open: openLambda(false),
};

export const LAMBDA_SCHEDULES: WakePath = {
  name: "awsLambdaSchedules",
  says: "Lambda: SQS delay; beyond 15 min a one-time schedule two minutes early, then SQS",
  model: `${QUEUE_MODEL}; EventBridge Scheduler anywhere in its minute`,
  open: openLambda(true),
};
