/**
 * Work after the answer, on platforms with a queue that can delay wakes. No invocation waits for what the queue wakes for, and a
 * message makes sure that one comes back after trouble.
 */
import { toLogFields, WorkflowError } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { DrivingPlatform } from "../ports/platform.ts";
import { createDeferrals } from "./deferrals.ts";
import { createDrain, type Drain, type DrainOptions, MIN_DRAIN_MS } from "./drain.ts";
import { isBlind } from "./drive.ts";
import { holdLease } from "./hold-lease.ts";
import { createPersistentQueue, type PersistentQueue } from "./persistent-queue.ts";
import { createQueueWakes, type DelayQueue, type QueueWakes } from "./queue-wakes.ts";
import { createWakeArm } from "./wake-arm.ts";
import { parseWakeMessage, type WakeMessage } from "./wake-message.ts";

/** A queue that delivers a message again when its lease ends and it has not been acknowledged. */
export interface LeasedQueue<TDelivery> extends DelayQueue {
  /** Takes the message off the queue. @throws WAKE_FAILED; it is delivered again */
  acknowledge(delivery: TDelivery): Promise<void>;
  /**
   * Keeps the message from being delivered again for a time from now on.
   *
   * @param leaseSeconds 1–3600
   * @returns false: it is gone, belongs to another delivery, or expires before; a repeat does not help
   * @throws WAKE_FAILED; a repeat may help
   */
  extend(delivery: TDelivery, leaseSeconds: number): Promise<boolean>;
}

/** Options of every kind of drain. */
type OwnOptions = Pick<DrainOptions, "bounds" | "deadline" | "now">;

/** The queue, and what an invocation of the platform can do. */
export interface QueueDrainOptions<TDelivery> extends OwnOptions {
  /** Begins another invocation if there is no queue. @default none: the schedule continues */
  readonly handOver?: DrainOptions["handOver"] | undefined;
  /** null: exact wakes are left to the schedule. */
  readonly queue: LeasedQueue<TDelivery> | null;
  /** Gives the function that keeps the caller's invocation alive; undefined: there is no invocation. */
  readonly waitUntil: () => ((work: Promise<unknown>) => void) | undefined;
  /** The process, if its SIGTERM is to be handled: after it, nothing more is claimed or begun, and the rest is handed over. @default none */
  readonly signals?: StopSource | undefined;
}

/** The part of `process` that matters here. */
export interface StopSource {
  once(signal: "SIGTERM", listener: () => void): unknown;
}

/** A wake that the queue has delivered. */
export interface TakenWake<TDelivery> {
  readonly delivery: TDelivery;
  /** The message's body; null: it is not one of our messages. */
  readonly text: string | null;
  /** What is left of the message's lease; NaN: unknown. */
  readonly leaseMs: DurationMs;
  /** false: only take it off the queue. */
  readonly ticks: boolean;
}

/** A drain for invocations that a queue begins. */
export interface QueueDrain<TDelivery> extends DrivingPlatform, Omit<Drain, "platform"> {
  /**
   * Ticks for a message, and acknowledges it when that is done.
   *
   * @returns false: let it be delivered again, because its tick failed or could not pass on what it leaves
   */
  takeWake(wake: TakenWake<TDelivery>): Promise<boolean>;
  /** Resolves when there is no work left that the platform would not wait for. Await it before you answer. */
  settled(): Promise<void>;
}

/** A little more than the engine's default lease. If leases are longer, the tick then learns when they end. */
const LEASE_OVER_SECONDS = 9;

/** Create one per process. */
export function createQueueDrain<TDelivery>(
  options: QueueDrainOptions<TDelivery>,
): QueueDrain<TDelivery> {
  const { queue, now = Date.now } = options;
  const stopping = new AbortController();
  options.signals?.once("SIGTERM", () => stopping.abort());
  const { logger } = options.bounds;
  const persistent = queue === null ? null : createPersistentQueue(queue, logger);
  const wakes = persistent === null ? null : createQueueWakes(persistent, now);
  const deadline = (): number => (stopping.signal.aborted ? now() : options.deadline());
  const { defer: keep, settled } = createDeferrals();
  // Wakes are exact, so it would be a waste to pay for waiting.
  const lingering = queue === null ? {} : { lingerMs: 0 };
  const { platform, ...drain } = createDrain({
    now,
    bounds: {
      signal: stopping.signal,
      passesOn: queue !== null,
      ...lingering,
      ...options.bounds,
    },
    deadline,
    defer: (work) => {
      const waitUntil = options.waitUntil();
      if (waitUntil === undefined) keep(work);
      else waitUntil(work.catch(() => undefined));
    },
    // An invocation that the queue has woken wakes for what comes next.
    wakesFor: queue === null ? "any" : "own",
    handOver: wakes?.wakeNow ?? options.handOver ?? refuse,
    wakeIn: async (delayMs, hint) => wakes?.wakeIn(delayMs, hint),
  });
  // If an invocation ends before its work does, this message finds what it left, and repairs a broken chain of wakes.
  // There is one at a time for the whole process.
  const deadMan = createWakeArm({
    arm: async () => wakes?.standBy(LEASE_OVER_SECONDS),
    now,
  });
  return {
    ...drain,
    settled,
    ...platform,
    attach: (engine) => {
      wakes?.attach(engine);
      platform.attach(engine);
    },
    wakeNow: async (hint) => {
      // A failure to set it has been logged, and the work is done anyway.
      if (hint.held !== undefined || deadline() - now() >= MIN_DRAIN_MS)
        await deadMan.wakeIn(LEASE_OVER_SECONDS * 1000).catch(() => undefined);
      await platform.wakeNow(hint);
    },
    takeWake: createTaker({ queue, persistent, wakes, run: drain.run, logger }),
  };
}

async function refuse(): Promise<never> {
  throw new WorkflowError("WAKE_FAILED", "no time is left, and no other invocation can take over");
}

interface TakerParts<TDelivery> {
  readonly queue: LeasedQueue<TDelivery> | null;
  readonly persistent: PersistentQueue | null;
  readonly wakes: QueueWakes | null;
  readonly run: Drain["run"];
  readonly logger: Logger;
}

function createTaker<TDelivery>(parts: TakerParts<TDelivery>): QueueDrain<TDelivery>["takeWake"] {
  const { queue, wakes, logger } = parts;
  return async (wake) => {
    const message = wake.text === null ? null : parseWakeMessage(wake.text);
    try {
      // A message that is not a wake will not be one next time either, so acknowledge it.
      if (message === null) logger.log("error", "wake.unreadable", { code: "INVALID_REQUEST" });
      else if (wake.ticks) {
        wakes?.fired(message);
        await tickOnLease(parts, wake, message);
      }
      await queue?.acknowledge(wake.delivery);
      return true;
    } catch (error) {
      logger.log("error", "wake.failed", toLogFields(error));
      return false;
    }
  };
}

/** @throws what the tick throws, and WAKE_FAILED if nothing would come back for what it leaves */
async function tickOnLease<TDelivery>(
  { queue, persistent, wakes, run, logger }: TakerParts<TDelivery>,
  { delivery, leaseMs }: TakenWake<TDelivery>,
  message: WakeMessage,
): Promise<void> {
  const { hopCount, thenAt: thenWakeAt } = message;
  // The process that takes it wakes for what comes next.
  const isLeft = (await wakes?.forward([message]))?.length === 0;
  const extend = async (seconds: number): Promise<boolean> =>
    queue === null ? false : queue.extend(delivery, seconds);
  const release = holdLease(extend, leaseMs);
  const lostBefore = persistent?.lostCount;
  // It was forwarded to others. If the original were delivered again as well, a failing tick would turn one message into two.
  const tell = (error: unknown): void => logger.log("error", "tick.failed", toLogFields(error));
  if (isLeft) return void (await run({ wakesFor: "own" }).catch(tell).finally(release));
  const output = await run({ hopCount, thenWakeAt }).finally(release);
  if (persistent?.lostCount === lostBefore && !isBlind(output)) return;
  throw new WorkflowError("WAKE_FAILED", "no later tick would do the work that is left");
}
