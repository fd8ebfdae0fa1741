/** Wakes on Lambda: up to 15 minutes ahead by the queue, beyond that by one-time schedules. Nothing depends on a frozen sandbox. */
import { createConsoleLogger, type Logger } from "@escapement/engine";
import {
  assertOption,
  assertPlatformOptions,
  wakeBy,
  createPersistentQueue,
  createQueueWakes,
  createWakeArm,
  type DrivingPlatform,
  holdLease,
  type QueueWakes,
  shareNext,
  toLogFields,
  type WakeMessage,
} from "@escapement/engine/adapter";
import type { oneTimeSchedules, WakeQueue } from "./aws-ports.ts";
import { createInvocations, type Invocations } from "./invocations.ts";
import type { QueueRecord } from "./wake-event.ts";

/** The queue and the schedules that wakes go through. */
export interface LambdaPlatformOptions {
  /** The queue that calls the tick function; see `sqsQueue`. */
  readonly queue: WakeQueue;
  /** For wakes more than 15 minutes ahead; see `oneTimeSchedules`. @default the queue, in steps of 15 minutes */
  readonly schedules?: ReturnType<typeof oneTimeSchedules>;
  /** The beginning of the names of schedules: 1–40 letters, digits, `-` and `_`. @default "escapement" */
  readonly namespace?: string;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** The platform for `createEngine({ platform })` and `handler`. */
export interface LambdaPlatform extends DrivingPlatform, Invocations, Pick<QueueWakes, "forward"> {
  /** Reports wakes that have arrived, possibly early. Call it before the tick. */
  fired(wakes: readonly Pick<WakeMessage, "at">[]): void;
  /** How many wakes could not be sent. */
  readonly sends: { readonly lostCount: number };
  /** Hides messages until some seconds after this sandbox was last active. @returns ends it; null: the queue cannot @throws WAKE_FAILED */
  hold(records: readonly QueueRecord[]): Promise<(() => void) | null>;
  /** Lets a message that failed be delivered again in 1 s; after further deliveries in 2, 4, 8, 16, then 30 s. @throws WAKE_FAILED */
  redeliver(record: QueueRecord): Promise<void>;
}

/** `DelaySeconds` is 0–900. @source the model of SQS in botocore (Debian awscli 2.9.19), read 2026-11-21 */
const MAX_DELAY_MS = 900_000;
const MINUTE_MS = 60_000;
/** A little more than the engine's default lease: by then the lease is over, or its end is known. */
const LEASE_OVER_SECONDS = 9;

/**
 * Creates the platform of a function on Lambda: `createEngine({ platform: createLambdaPlatform(fromEnv(process.env)), … })`. It sends
 * wakes to the SQS queue, and those more than 15 minutes ahead to EventBridge Scheduler.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION; DEPLOY_OPTIONS_INVALID: the namespace cannot be in a schedule's name
 */
export function createLambdaPlatform(options: LambdaPlatformOptions): LambdaPlatform {
  assertPlatformOptions(options, { queue: 1, schedules: 1, namespace: 1, logger: 1, now: 1 });
  const { queue, schedules, namespace = "escapement", now = Date.now } = options;
  const { logger = createConsoleLogger() } = options;
  const isNamespace = /^[\w-]{1,40}$/.test(namespace);
  assertOption("namespace", isNamespace, "1 to 40 letters, digits, - and _");
  const sends = createPersistentQueue(
    { maxDelaySeconds: MAX_DELAY_MS / 1000, send: (body, delay) => wakeBy(queue(body, delay)) },
    logger,
  );
  const near = createQueueWakes(sends, now);
  let scheduledAt = 0;
  const far = createWakeArm<number | null>({
    arm: async (delayMs, thenAt) => {
      const at = (scheduledAt = toMinute(now() + delayMs));
      await schedules?.(`${namespace}-${at / MINUTE_MS}`, at, near.write({ at, thenAt }));
    },
    now,
  });
  return {
    ...createInvocations(now),
    ...near,
    holdsAnswers: true,
    wakeNow: shareNext(near.wakeNow),
    wakeIn: async (delayMs, hint) => {
      const isFar = schedules !== undefined && delayMs > MAX_DELAY_MS;
      if (!isFar) return near.wakeIn(delayMs, hint);
      const toScheduleMs = toMinuteBefore(now() + delayMs) - now();
      // The queue gets there in steps.
      return far.wakeIn(toScheduleMs, hint.thenWakeAt ?? null).catch((error: unknown) => {
        logger.log("warn", "schedule.failed", toLogFields(error));
        return near.wakeIn(delayMs, hint);
      });
    },
    fired: (wakes) => {
      for (const wake of wakes) near.fired(wake);
      if (wakes.some(({ at }) => at === scheduledAt)) far.fired();
    },
    sends,
    hold: async (records) => {
      const handles = records.flatMap(({ receiptHandle = [] }) => receiptHandle);
      const { redeliver } = queue;
      if (redeliver === undefined) return null;
      const extend = async (seconds: number): Promise<boolean> => {
        await Promise.all(handles.map((handle) => redeliver(handle, seconds)));
        return true;
      };
      await wakeBy(extend(LEASE_OVER_SECONDS));
      return holdLease(extend, LEASE_OVER_SECONDS * 1000, LEASE_OVER_SECONDS);
    },
    redeliver: async ({ receiptHandle, attributes }) => {
      const { ApproximateReceiveCount: count = 1 } = attributes ?? {};
      const delaySeconds = Math.min(30, 2 ** (Number(count) - 1));
      if (receiptHandle !== undefined) await wakeBy(queue.redeliver?.(receiptHandle, delaySeconds));
    },
  };
}

const toMinute = (at: number): number => Math.round(at / MINUTE_MS) * MINUTE_MS;
/** It fires anywhere in its minute, by a clock that may be a minute behind ours. So it is set early, and the queue does the rest. */
const toMinuteBefore = (at: number): number => Math.floor(at / MINUTE_MS - 2) * MINUTE_MS;
