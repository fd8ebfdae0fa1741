/** Wakes on Lambda: by the queue up to 15 minutes ahead, beyond by one-time schedules, and nothing left to a frozen sandbox. */
import type { Platform, WakeHint } from "@escapement/engine";
import { createWakeArm } from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";
import type { SelfInvoke, WakeQueue, WakeSchedules } from "./aws-ports.ts";
import { createInvocations, type LambdaContext } from "./invocations.ts";
import { type QueueRecord, toWakeBody } from "./wake-event.ts";

export interface SchedulerOptions {
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
export interface LambdaScheduler extends Platform {
  /**
   * Runs one invocation, however many the process is in. `work` is given the platform of this invocation: when it is
   * killed, and what is deferred in it. Settles as `work` does, once all that was deferred has settled.
   */
  within<T>(context: LambdaContext, work: (platform: Platform) => Promise<T>): Promise<T>;
  /** The schedule of that minute has rung, maybe early, and is gone. */
  rang(minute: number | null): void;
  /** Has a message that failed delivered again soon, the later the more often it was delivered. @throws WAKE_FAILED */
  redeliver(record: QueueRecord): Promise<void>;
}

/** `DelaySeconds` is 0–900. @source the model of SQS in botocore (Debian awscli 2.9.19), read 2026-11-21 */
const MAX_DELAY_MS = 900_000;
const MINUTE_MS = 60_000;
/** Of a message that failed: 1, 2, 4, 8, 16 s, and so on. */
const MAX_REDELIVERY_SECONDS = 30;
/** Armed minutes that a process remembers. */
const MAX_MINUTES = 1000;

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when the namespace cannot be in a schedule's name */
export function scheduler(options: SchedulerOptions): LambdaScheduler {
  const { queue, invoke, schedules, namespace = "escapement", now = Date.now } = options;
  if (!/^[\w-]{1,40}$/.test(namespace))
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", "no namespace", { option: "namespace" });
  const invocations = createInvocations(now);
  const near = createWakeArm({
    // Never at once: a database clock behind this one would have the same wake sent over and over until it catches up.
    arm: (at) => asWake(queue(toWakeBody(0), Math.max(1, Math.ceil((at - now()) / 1000)))),
    maxWakeMs: MAX_DELAY_MS,
    now,
  });
  const minutes = rememberMinutes(async (minute) => {
    const name = `${namespace}-${minute / MINUTE_MS}`;
    // The name is what coalesces across processes.
    await asWake(schedules?.(name, minute, toWakeBody(0, minute)));
  });
  const wakes: Pick<Platform, "wakeNow" | "wakeAt"> = {
    wakeNow: shareNext((hopCount) => {
      const body = toWakeBody(hopCount);
      return asWake(invoke === undefined ? queue(body, 0) : invoke(body));
    }),
    wakeAt: (at) => {
      if (schedules === undefined || at - now() <= MAX_DELAY_MS) return near.wakeAt(at);
      return minutes.arm(toMinuteBefore(at));
    },
  };
  return {
    ...wakes,
    ...invocations.parts,
    within: (context, work) => invocations.run(context, (own) => work({ ...wakes, ...own })),
    rang: minutes.rang,
    redeliver: async ({ receiptHandle, attributes }) => {
      const count = Math.max(1, Number(attributes?.ApproximateReceiveCount ?? 1) || 1);
      const delaySeconds = Math.min(MAX_REDELIVERY_SECONDS, 2 ** (count - 1));
      if (receiptHandle !== undefined) await asWake(queue.redeliver?.(receiptHandle, delaySeconds));
    },
  };
}

/** A schedule rings somewhere inside its minute: one that must not be late is set a minute early, and the queue does the rest. */
const toMinuteBefore = (at: number): number => Math.floor(at / MINUTE_MS - 1) * MINUTE_MS;

interface Minutes {
  readonly arm: (minute: number) => Promise<void>;
  readonly rang: (minute: number | null) => void;
}

/** Arms each minute once in this process: the ticks until then all ask for it. A minute that failed may be asked again. */
function rememberMinutes(arm: Minutes["arm"]): Minutes {
  const armed = new Map<number | null, Promise<void>>();
  const forget = (minute: number | null): void => void armed.delete(minute);
  return {
    arm: (minute) => {
      const known = armed.get(minute);
      if (known !== undefined) return known;
      const arming = arm(minute);
      armed.set(minute, arming);
      arming.catch(() => forget(minute));
      for (const oldest of armed.keys()) if (armed.size > MAX_MINUTES) forget(oldest);
      return arming;
    },
    rang: forget,
  };
}

/**
 * One send in flight and one to follow: what is asked meanwhile shares the one to follow, which begins after every commit
 * that asked for it. A wake that no hand-over began starts the count of hops anew.
 */
function shareNext(send: (hopCount: number) => Promise<void>): (hint: WakeHint) => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let hopCount = Infinity;
  const begin = (): Promise<void> => {
    [current, next] = [next ?? current, null];
    const hops = hopCount;
    hopCount = Infinity;
    return send(hops);
  };
  return (hint) => {
    hopCount = Math.min(hopCount, hint.hopCount ?? 0);
    return (next ??= current.then(begin, begin));
  };
}

async function asWake(sent: Promise<void> | undefined): Promise<void> {
  try {
    await sent;
  } catch (error) {
    const message = `the wake was not taken: ${String(error)}`;
    throw new WorkflowError("WAKE_FAILED", message, {}, error);
  }
}
