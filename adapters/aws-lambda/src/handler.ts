/** The Lambda handler: requests to the engine's HTTP API, wakes to one tick. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { toLogFields, WorkflowError } from "@escapement/engine/errors";
import { drive, type DriveEngine, type DriveOptions } from "@escapement/engine/drive";
import { createAnswer } from "./answer.ts";
import type { LambdaContext } from "./invocations.ts";
import type { LambdaScheduler } from "./scheduler.ts";
import { parseWakeBody, type QueueRecord, readEvent, type Wake } from "./wake-event.ts";

/** All that the handler needs of an engine. */
export type LambdaEngine = DriveEngine & Pick<Engine, "fetch">;

/** `lingerMs` is 0 by default: lingering is billed in every invocation that waits, and the queue wakes as exactly. */
export interface HandlerOptions extends Omit<DriveOptions, "hopCount"> {
  /** The one that the engine was made with. */
  readonly scheduler: LambdaScheduler;
}

export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/**
 * Takes HTTP API, Function URL and ALB requests, SQS batches, schedules and asynchronous invocations. A batch is one
 * tick, however many wakes it holds. Nothing is left running when it resolves.
 *
 * A tick that fails, and a message that is no wake, go back to the queue, come again after a second and then less and
 * less often, and end in its dead-letter queue. An answer larger than Lambda takes is PAYLOAD_TOO_LARGE.
 *
 * @throws {WorkflowError} INVALID_REQUEST for an event of no known kind; and, from wakes that come without a queue, what
 *   the tick throws, and WAKE_FAILED where no time is left
 */
export function handler(engine: LambdaEngine, options: HandlerOptions): LambdaHandler {
  const { scheduler, logger = createConsoleLogger(), ...bounds } = options;
  const answer = createAnswer((request) => engine.fetch(request));
  return (event, context) =>
    scheduler.within(context, async (platform) => {
      const tick = async (wakes: readonly Wake[]): Promise<unknown> => {
        demandTime(context);
        for (const { minute } of wakes) scheduler.rang(minute);
        const hopCount = Math.min(...wakes.map((wake) => wake.hopCount));
        return drive(engine, platform, { lingerMs: 0, ...bounds, hopCount, logger });
      };
      try {
        const work = readEvent(event);
        if (work.kind === "http") return await answer(event);
        if (work.kind === "tick") return await tick([work]);
        return await takeBatch(work.records, { tick, scheduler, logger });
      } catch (error) {
        logger.log("error", "invocation.failed", toLogFields(error));
        throw error;
      }
    });
}

/**
 * A tick without time does nothing and fails at nothing: its wakes would be taken for done. Managed Instances tell a
 * function that is over its time so, and do not end it.
 */
function demandTime(context: LambdaContext): void {
  if (context.getRemainingTimeInMillis() > 0) return;
  throw new WorkflowError("WAKE_FAILED", "the invocation was over its time before it could tick");
}

interface BatchOptions {
  readonly tick: (wakes: readonly Wake[]) => Promise<unknown>;
  readonly scheduler: LambdaScheduler;
  readonly logger: Logger;
}

/** @returns what Lambda expects of a batch: the messages that it must deliver again */
async function takeBatch(
  records: readonly QueueRecord[],
  { tick, scheduler, logger }: BatchOptions,
): Promise<object> {
  const failed: QueueRecord[] = [];
  const wakes = new Map<QueueRecord, Wake>();
  for (const record of records) {
    const wake = parseWakeBody(record.body);
    if (wake !== null) wakes.set(record, wake);
    else {
      failed.push(record);
      const { messageId } = record;
      logger.log("error", "wake.unreadable", { messageId, code: "INVALID_REQUEST" });
    }
  }
  try {
    if (wakes.size > 0) await tick([...wakes.values()]);
  } catch (error) {
    logger.log("error", "invocation.failed", toLogFields(error));
    failed.push(...wakes.keys());
  }
  await Promise.all(failed.map((record) => tryRedeliver(scheduler, record, logger)));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** Never throws: what is not redelivered soon comes back after the visibility timeout. */
async function tryRedeliver(
  scheduler: LambdaScheduler,
  record: QueueRecord,
  logger: Logger,
): Promise<void> {
  try {
    await scheduler.redeliver(record);
  } catch (error) {
    const { messageId } = record;
    logger.log("warn", "redelivery.failed", { messageId, ...toLogFields(error) });
  }
}
