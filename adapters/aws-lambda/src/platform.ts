/** Wakes on Lambda: by the queue up to 15 minutes ahead, beyond by one-time schedules, and nothing left to a frozen sandbox. */
import type { Platform } from "@escapement/engine";
import { demandOption } from "@escapement/engine/deploy";
import {
  asWake,
  createWakeArm,
  holdLease,
  shareNext,
  toWakeMessage,
} from "@escapement/engine/drive";
import type { WakeQueue, WakeSchedules } from "./aws-ports.ts";
import { createInvocations, type Invocations } from "./invocations.ts";
import type { QueueRecord } from "./wake-event.ts";

export interface LambdaPlatformOptions {
  /** Runs the tick function; see `sqsQueue`. */
  readonly queue: WakeQueue;
  /** Wakes more than 15 minutes ahead; see `oneTimeSchedules`. @default the queue, in steps of 15 minutes */
  readonly schedules?: WakeSchedules;
  /** Begins the names of schedules: 1–40 letters, digits, `-` and `_`. @default "escapement" */
  readonly namespace?: string;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** For `createEngine({ platform })` and for `handler`. */
export interface LambdaPlatform extends Platform, Invocations {
  /** A one-time schedule has rung, maybe early. Call it before the tick. */
  rang(): void;
  /** Has messages in hand delivered again some seconds after this sandbox was last heard of. @returns ends it @throws WAKE_FAILED */
  hold(records: readonly QueueRecord[]): Promise<() => void>;
  /** Has a message that failed delivered again in 1 s; after further deliveries in 2, 4, 8, 16, then 30 s. @throws WAKE_FAILED */
  redeliver(record: QueueRecord): Promise<void>;
}

/** `DelaySeconds` is 0–900. @source the model of SQS in botocore (Debian awscli 2.9.19), read 2026-11-21 */
const MAX_DELAY_MS = 900_000;
const MINUTE_MS = 60_000;
/** The engine's default lease and a little more: who comes then finds it over, or when it will be. */
const LEASE_OVER_SECONDS = 9;

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when the namespace cannot be in a schedule's name */
export function createLambdaPlatform(options: LambdaPlatformOptions): LambdaPlatform {
  const { queue, schedules, namespace = "escapement", now = Date.now } = options;
  demandOption("namespace", /^[\w-]{1,40}$/.test(namespace));
  const send = async (hopCount: number, delaySeconds: number): Promise<void> =>
    asWake(queue(toWakeMessage({ hopCount, at: null }), delaySeconds));
  const near = createWakeArm({
    // Never at once: what a tick has just found not to be had would have the same wake sent over and over.
    arm: (delayMs) => send(0, Math.max(1, Math.ceil(delayMs / 1000))),
    maxWakeMs: MAX_DELAY_MS,
    now,
  });
  const far = createWakeArm({
    arm: async (delayMs) => {
      const at = toMinute(now() + delayMs);
      // The name is what coalesces across processes.
      const name = `${namespace}-${at / MINUTE_MS}`;
      await schedules?.(name, at, toWakeMessage({ hopCount: 0, at }));
    },
    now,
  });
  return {
    ...createInvocations(now),
    wakeNow: shareNext((hopCount) => send(hopCount, 0)),
    wakeIn: (delayMs) => {
      if (schedules === undefined || delayMs <= MAX_DELAY_MS) return near.wakeIn(delayMs);
      return far.wakeIn(toMinuteBefore(now() + delayMs) - now());
    },
    rang: far.rang,
    hold: async (records) => {
      const handles = records.flatMap(({ receiptHandle = [] }) => receiptHandle);
      const { redeliver = async () => undefined } = queue;
      const extend = async (seconds: number): Promise<boolean> => {
        await Promise.all(handles.map((handle) => redeliver(handle, seconds)));
        return queue.redeliver !== undefined;
      };
      await asWake(extend(LEASE_OVER_SECONDS));
      return holdLease(extend, LEASE_OVER_SECONDS * 1000, LEASE_OVER_SECONDS);
    },
    redeliver: async ({ receiptHandle, attributes }) => {
      const count = Number(attributes?.ApproximateReceiveCount ?? 1);
      const delaySeconds = Math.min(30, 2 ** (count - 1));
      if (receiptHandle !== undefined) await asWake(queue.redeliver?.(receiptHandle, delaySeconds));
    },
  };
}

const toMinute = (at: number): number => Math.round(at / MINUTE_MS) * MINUTE_MS;
/** It rings anywhere in its minute, by a clock that may be a minute behind ours: it is set early, and the queue does the rest. */
const toMinuteBefore = (at: number): number => Math.floor(at / MINUTE_MS - 2) * MINUTE_MS;
