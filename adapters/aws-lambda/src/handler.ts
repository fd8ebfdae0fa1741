/** The Lambda handler: requests go to the engine's HTTP API, and wakes begin one tick. */
import { createConsoleLogger, type Engine, type Logger, WorkflowError } from "@escapement/engine";
import {
  answerRefusal,
  assertPlatformOptions,
  drive,
  DRIVE_OPTIONS,
  type DriveEngine,
  type DriveOptions,
  isBlind,
  joinWakes,
  platformOf,
  toLogFields,
  type WakeMessage,
} from "@escapement/engine/adapter";
import { type Handler, Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import type { LambdaPlatform } from "./platform.ts";
import { parseWakeBody, type QueueRecord, readEvent } from "./wake-event.ts";

/** The part of an engine that the handler needs. */
type LambdaEngine = DriveEngine & Pick<Engine, "fetch">;

/** An engine whose platform is Lambda, or options that have it. */
type OnLambda = Required<Pick<HandlerOptions, "platform">>;
/** An interface, so that the compiler names it in one line. */
interface HostedEngine extends LambdaEngine, OnLambda {}

/** `lingerMs` is 0 by default: every invocation that waits is billed, and the queue wakes as exactly. */
export interface HandlerOptions extends Omit<DriveOptions, "hopCount" | "wakesFor"> {
  /** @default the engine's own */
  readonly platform?: LambdaPlatform;
}

type Context = { getRemainingTimeInMillis(): number };
type LambdaFunction = (event: unknown, context: Context) => Promise<unknown>;

/** The most bytes of an answer with its escapes: to Lambda, and to a load balancer. Sources: docs/deploy/aws-lambda.md. */
const MAX_ANSWER_BYTES = { lambda: 6_000_000, balancer: 1_000_000 };

/**
 * Creates a handler for requests of HTTP APIs, Function URLs and load balancers, SQS batches (one tick each), schedules and
 * asynchronous invocations. The next delivery finds the work of an invocation that died. Messages of a failed tick, and those
 * that are not wakes, come again less and less often, then go to the dead-letter queue. An answer too large for Lambda becomes
 * PAYLOAD_TOO_LARGE.
 * @throws {WorkflowError} INVALID_REQUEST for an event of an unknown kind; WAKE_FAILED without a queue; what the tick throws
 */
export function handler(engine: HostedEngine, options?: HandlerOptions): LambdaFunction;
export function handler(engine: LambdaEngine, options: HandlerOptions & OnLambda): LambdaFunction;
export function handler(
  engine: LambdaEngine & Partial<OnLambda>,
  options: HandlerOptions = {},
): LambdaFunction {
  assertPlatformOptions(options, { ...DRIVE_OPTIONS, tripsLeft: 1, platform: 1 }, "handler");
  const { platform = platformOf(engine), logger = createConsoleLogger(), ...bounds } = options;
  const answer = createAnswer(({ req }) => engine.fetch(req.raw));
  return (event, context) =>
    platform.within(context, async () => {
      const tick = async (wakes: readonly WakeMessage[], isAgain = true): Promise<unknown> => {
        platform.fired(wakes);
        const lostBefore = platform.sends.lostCount;
        const duty = { ...joinWakes(wakes, isAgain), passesOn: true };
        const output = await drive(engine, platform, { lingerMs: 0, ...bounds, ...duty, logger });
        if (platform.sends.lostCount === lostBefore && !isBlind(output)) return;
        throw new WorkflowError("WAKE_FAILED", "no later tick would do the work that is left");
      };
      try {
        const work = readEvent(event);
        if (work.kind === "http") return await answer(event as LambdaEvent);
        if (work.kind === "tick") return await tick([work.wake]);
        return await takeBatch(work.records, tick, { platform, logger });
      } catch (error) {
        logger.log("error", "invocation.failed", toLogFields(error));
        throw error;
      }
    });
}

/** Answers, or answers with an error code if the answer is larger than Lambda or a load balancer allows. */
function createAnswer(fetch: Handler): (event: LambdaEvent) => Promise<unknown> {
  const text = "the answer is larger than the platform allows";
  const refuse: Handler = () => answerRefusal(new WorkflowError("PAYLOAD_TOO_LARGE", text));
  const toHandle = (by: Handler) => handle(new Hono().all("*", by));
  const [answer, refusal] = [toHandle(fetch), toHandle(refuse)];
  return async (event) => {
    const answered = await answer(event);
    const taker = "elb" in event.requestContext ? "balancer" : "lambda";
    const fits = Buffer.byteLength(JSON.stringify(answered)) <= MAX_ANSWER_BYTES[taker];
    return fits ? answered : refusal(event);
  };
}

/** @returns what Lambda expects for a batch: the messages that it must deliver again */
async function takeBatch(
  records: readonly QueueRecord[],
  tick: (wakes: readonly WakeMessage[], isAgain: boolean) => Promise<unknown>,
  { platform, logger }: { readonly platform: LambdaPlatform; readonly logger: Logger },
): Promise<object> {
  const parsed = records.map((record) => [record, parseWakeBody(record.body)] as const);
  const wakes = new Map(parsed.flatMap(([one, wake]) => (wake === null ? [] : [[one, wake]])));
  const failed = records.filter((record) => !wakes.has(record));
  for (const { messageId } of failed)
    logger.log("error", "wake.unreadable", { messageId, code: "INVALID_REQUEST" });
  // If SQS cannot be told, the message comes back after the visibility timeout.
  const tell = (error: unknown): void =>
    logger.log("warn", "redelivery.failed", toLogFields(error));
  const release = await platform.hold([...wakes.keys()]).catch(tell);
  try {
    // A wake that may come late if this sandbox dies wakes for all of them, and so does one that has been delivered before.
    const isFirst = records.every((one) => one.attributes?.ApproximateReceiveCount === "1");
    if (wakes.size > 0) {
      const kept = await platform.forward([...wakes.values()]);
      // It was passed on to others. If it were delivered again as well, a failing tick would turn one message into two.
      for (const [one, wake] of wakes) if (!kept.includes(wake)) wakes.delete(one);
      await tick(kept, !isFirst || !release);
    }
  } catch (error) {
    logger.log("error", "invocation.failed", toLogFields(error));
    failed.push(...wakes.keys());
  } finally {
    release?.();
  }
  await Promise.all(failed.map((record) => platform.redeliver(record).catch(tell)));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
