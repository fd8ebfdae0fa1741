/** The Lambda handler: requests to the engine's HTTP API, wakes to one tick. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { toLogFields } from "@escapement/engine/errors";
import { drive, type DriveEngine, type DriveOptions } from "@escapement/engine/drive";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import type { LambdaContext, LambdaScheduler } from "./scheduler.ts";
import { parseWakeBody, type QueueRecord, readEvent } from "./wake-event.ts";

/** All that the handler needs of an engine. */
export type LambdaEngine = DriveEngine & Pick<Engine, "fetch">;

export interface HandlerOptions extends Omit<DriveOptions, "hopCount"> {
  /** The one that the engine was made with. */
  readonly scheduler: LambdaScheduler;
}

export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/**
 * Takes HTTP API, Function URL and ALB requests, SQS batches, schedules and asynchronous invocations. A batch is one
 * tick, however many wakes it holds. Nothing is left running when it resolves.
 *
 * A tick that fails, and a message that is no wake, go back to the queue and in the end to its dead-letter queue.
 *
 * @throws {WorkflowError} INVALID_REQUEST for an event of no known kind; and, from wakes that come without a queue, what the tick throws
 */
export function handler(engine: LambdaEngine, options: HandlerOptions): LambdaHandler {
  const { scheduler, logger = createConsoleLogger(), ...bounds } = options;
  const answer = handle(new Hono().all("*", ({ req }) => engine.fetch(req.raw)));
  const tick = (hopCount: number): Promise<unknown> =>
    drive(engine, scheduler, { ...bounds, hopCount, logger });
  return async (event, context) => {
    const end = scheduler.begin(context);
    try {
      const work = readEvent(event);
      if (work.kind === "http") return await answer(event as LambdaEvent);
      if (work.kind === "queue") return await takeBatch(work.records, tick, logger);
      return await tick(work.hopCount);
    } catch (error) {
      logger.log("error", "invocation.failed", toLogFields(error));
      throw error;
    } finally {
      await end();
    }
  };
}

/** @returns what Lambda expects of a batch: the messages that it must deliver again */
async function takeBatch(
  records: readonly QueueRecord[],
  tick: (hopCount: number) => Promise<unknown>,
  logger: Logger,
): Promise<object> {
  const failed: string[] = [];
  const wakes = new Map<string, number>();
  for (const { messageId, body } of records) {
    const hopCount = parseWakeBody(body);
    if (hopCount !== null) wakes.set(messageId, hopCount);
    else {
      failed.push(messageId);
      logger.log("error", "wake.unreadable", { messageId, code: "INVALID_REQUEST" });
    }
  }
  try {
    if (wakes.size > 0) await tick(Math.min(...wakes.values()));
  } catch (error) {
    logger.log("error", "invocation.failed", toLogFields(error));
    failed.push(...wakes.keys());
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
