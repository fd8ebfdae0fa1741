/** Wakes on Lambda: by the queue up to 15 minutes ahead, beyond by one-time schedules, and nothing left to a frozen sandbox. */
import type { Platform } from "@escapement/engine";
import { createWakeArm, holdLease, shareNext } from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";
import type { SelfInvoke, WakeQueue, WakeSchedules } from "./aws-ports.ts";
import { createInvocations, type LambdaContext } from "./invocations.ts";
import { type QueueRecord, REQUEST_BODY, toWakeBody, type Wake } from "./wake-event.ts";

export interface LambdaPlatformOptions {
  /** Runs the tick function; see `sqsQueue`. */
  readonly queue: WakeQueue;
  /** Wakes more than 15 minutes ahead; see `oneTimeSchedules`. @default the queue, in steps of 15 minutes */
  readonly schedules?: WakeSchedules;
  /** Wakes at once; see `SelfInvoke`. @default the queue, which loses nothing */
  readonly invoke?: SelfInvoke;
  /** Begins the names of schedules: 1–40 letters, digits, `-` and `_`. @default "escapement" */
  readonly namespace?: string;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** For `createEngine({ platform })` and for `handler`. */
export interface LambdaPlatform extends Platform {
  /** Runs `work` as one invocation, with a platform of its own; settles as it does, once what it deferred has settled. */
  within<T>(context: LambdaContext, work: (platform: Platform) => Promise<T>): Promise<T>;
  /** Wakes have come, maybe early. Call it before the tick. */
  rang(wakes: readonly Wake[]): void;
  /** Wakes that could not be sent. */
  readonly lostCount: number;
  /** Whether a message whose sandbox dies is delivered again within seconds. */
  readonly holds: boolean;
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

type Link = Pick<Wake, "at" | "thenAt">;

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when the namespace cannot be in a schedule's name */
export function createLambdaPlatform(options: LambdaPlatformOptions): LambdaPlatform {
  const { queue, invoke, schedules, namespace = "escapement", now = Date.now } = options;
  if (!/^[\w-]{1,40}$/.test(namespace))
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", "no namespace", { option: "namespace" });
  let lostCount = 0;
  const send = (sent: Promise<unknown> | undefined): Promise<void> =>
    asWake(sent).catch((error: unknown) => {
      lostCount += 1;
      throw error;
    });
  const near = createWakeArm<Link>({
    // Never at once: what a tick has just found not to be had would have the same wake sent over and over.
    arm: (delayMs, link) => send(queue(toWakeBody(link), Math.max(1, Math.ceil(delayMs / 1000)))),
    maxWakeMs: MAX_DELAY_MS,
    now,
  });
  // The name is what coalesces across processes.
  const schedule = (at: number, link: Link): Promise<void> =>
    send(schedules?.(`${namespace}-${at / MINUTE_MS}`, at, toWakeBody({ ...link, at })));
  let scheduledAt = 0;
  const far = createWakeArm<Link>({
    arm: (delayMs, link) => schedule((scheduledAt = toMinute(now() + delayMs)), link),
    now,
  });
  const { run, ...parts } = createInvocations(now);
  const wakes: Pick<Platform, "wakeNow" | "wakeIn"> = {
    wakeNow: shareNext((hopCount) => {
      const body = hopCount === 0 ? REQUEST_BODY : toWakeBody({ hopCount });
      return send(invoke === undefined ? queue(body, 0) : invoke(body));
    }),
    wakeIn: (delayMs, { dueAt: at = null, thenWakeAt: thenAt = null }) => {
      const link = { at, thenAt };
      if (schedules === undefined || delayMs <= MAX_DELAY_MS) return near.wakeIn(delayMs, link);
      return far.wakeIn(toMinuteBefore(now() + delayMs) - now(), link);
    },
  };
  return {
    ...wakes,
    ...parts,
    within: (context, work) => run(context, (own) => work({ ...wakes, ...own })),
    rang: (wakes) => {
      if (wakes.some(({ at }) => at === scheduledAt)) far.rang();
    },
    get lostCount(): number {
      return lostCount;
    },
    holds: queue.redeliver !== undefined,
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

async function asWake(sent: Promise<unknown> | undefined): Promise<void> {
  try {
    await sent;
  } catch (error) {
    throw new WorkflowError("WAKE_FAILED", `the wake was not taken: ${String(error)}`, {}, error);
  }
}
