/**
 * Lambda as `deploy` sets it up: a function for requests and one for ticks, SQS between them, one-time schedules, and an
 * hourly safety net. The limits are those of `adapters/aws-lambda/src/stack.json`.
 */
import { createLambdaPlatform, handler } from "@escapement/aws-lambda";
import { createEngine } from "@escapement/engine";
import { toUrlEvent } from "../../lateness/paths/aws-lambda.ts";
import { every } from "../../lateness/wake-path.ts";
import { createMessageQueue, type Delivery, type MessageQueue } from "../message-queue.ts";
import { createSandboxes } from "../sandboxes.ts";
import { type CostModel, type Deployed, type Scene, TRIP_MS, waitFor } from "../scene.ts";

const API_LIMIT_MS = 30_000;
const TICK_LIMIT_MS = 300_000;
const VISIBILITY_MS = 330_000;
/** `maxAttempts` of the adapter's SQS client. */
const SEND_TRIES = 2;
const SAFETY_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Schedules = NonNullable<Parameters<typeof createLambdaPlatform>[0]["schedules"]>;

export const AWS_LAMBDA: CostModel = {
  says: "AWS Lambda",
  assumes: [
    "512 MB on arm64, up to 10 tick functions at once and 10 messages a batch, an hourly safety net: the stack's defaults.",
    "A sandbox runs one invocation at a time and has its own engine. An idle one ends after 10 minutes (assumed).",
    "SQS delivers a message 0–0.2 s after its delay in whole seconds (assumed). A send, a receive and a delete are a request each. AWS's own pollers receive 5 times in 20 s when the queue is empty (from memory).",
    "EventBridge Scheduler runs a schedule anywhere in its minute (docs.aws.amazon.com/scheduler, Schedule types, read 2026-11).",
    "Starts of sandboxes take no time here. In reality each adds about 0.2 s, which is billed (docs/platforms.md).",
  ],
  open: (scene) => openLambda(scene, Infinity),
};

/** @param accountConcurrency invocations at once of all functions: what is beyond is refused, requests with 429 */
export function openLambda(scene: Scene, accountConcurrency: number): Deployed {
  const { time, random } = scene;
  const throttle = createThrottle(accountConcurrency);
  const schedules = createSchedules(scene, (body) => queue.send(body, 0));
  const open = (): ReturnType<typeof handler> => openSandbox(scene, queue, schedules);
  const api = createSandboxes(scene, "api", open);
  const tick = createSandboxes(scene, "tick", open);
  const queue: MessageQueue<string> = createMessageQueue(scene, {
    maxConcurrency: 10,
    batchSize: 10,
    leaseMs: VISIBILITY_MS,
    deliver: async (deliveries) => {
      const event = toQueueEvent(deliveries);
      const answer = await throttle(() => tick.run((run) => run(event, lasting(TICK_LIMIT_MS))));
      // Throttled: the messages come back once nobody has taken them for their visibility timeout.
      if (answer === null) return;
      const { batchItemFailures: failures } = answer as BatchAnswer;
      const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { receipt } of deliveries) if (!failed.has(receipt)) queue.acknowledge(receipt);
    },
  });
  const ring = (): void => queue.send('{"kind":"tick"}', 0);
  every(time, { periodMs: SAFETY_MS, lateMs: () => random(MINUTE_MS), run: ring });
  // Somebody is woken for what is asleep already.
  ring();
  return async (request) => {
    const event = await toUrlEvent(request);
    const answer = await throttle(() => api.run((run) => run(event, lasting(API_LIMIT_MS))));
    return answer === null ? 429 : (answer as { readonly statusCode: number }).statusCode;
  };
}

/** @returns null: there are as many invocations as may be */
function createThrottle(limit: number): <T>(invoke: () => Promise<T>) => Promise<T | null> {
  let count = 0;
  return async (invoke) => {
    if (count >= limit) return null;
    count += 1;
    return invoke().finally(() => (count -= 1));
  };
}

interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

function openSandbox(
  { store, workflows, logger, wakes, time, meter }: Scene,
  queue: MessageQueue<string>,
  schedules: Schedules,
): ReturnType<typeof handler> {
  const send = async (body: string, delaySeconds: number, tries = 1): Promise<void> => {
    await waitFor(TRIP_MS);
    try {
      wakes?.asked(delaySeconds === 0 ? null : time.now() + delaySeconds * 1000);
    } catch (error) {
      if (tries === SEND_TRIES) throw error;
      return send(body, delaySeconds, tries + 1);
    }
    queue.send(body, delaySeconds);
  };
  const redeliver = async (receipt: string, delaySeconds: number): Promise<void> => {
    meter.count("visibilities");
    await waitFor(TRIP_MS);
    queue.holdFor(receipt, delaySeconds * 1000);
  };
  const platform = createLambdaPlatform({
    queue: Object.assign((...sent: [string, number]) => send(...sent), { redeliver }),
    schedules,
  });
  const engine = createEngine({ workflows, store, platform, logger, http: { open: true } });
  return handler(engine, { platform, logger });
}

/** One schedule of a name, however often it is asked for. */
function createSchedules({ time, random, meter }: Scene, ring: (body: string) => void): Schedules {
  const names = new Set<string>();
  return async (name, at, body) => {
    meter.count("scheduleCalls");
    await waitFor(TRIP_MS);
    if (names.has(name)) return;
    names.add(name);
    meter.count("schedules");
    time.at(at + random(MINUTE_MS), () => ring(body));
  };
}

function lasting(limitMs: number): { getRemainingTimeInMillis(): number } {
  const endsAt = Date.now() + limitMs;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() };
}

const toQueueEvent = (deliveries: readonly Delivery<string>[]): object => ({
  Records: deliveries.map(({ message: body, receipt, receiveCount }) => ({
    eventSource: "aws:sqs",
    messageId: receipt,
    receiptHandle: receipt,
    attributes: { ApproximateReceiveCount: String(receiveCount) },
    body,
  })),
});
