/**
 * Work after the answer beside a queue that can hold wakes back: nobody waits for what the queue wakes for, and somebody
 * comes back after trouble.
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
   * Keeps the message from being delivered again for so long from now.
   *
   * @param leaseSeconds 1–3600
   * @returns false: it is gone, another delivery has it, or it expires before; asking again is of no use
   * @throws WAKE_FAILED; asking again may be of use
   */
  extend(delivery: TDelivery, leaseSeconds: number): Promise<boolean>;
}

/** What a drain of any kind is given. */
type OwnOptions = Pick<DrainOptions, "bounds" | "deadline" | "now">;

/** The queue, and what an invocation of the platform can do. */
export interface QueueDrainOptions<TDelivery> extends OwnOptions {
  /** Begins another invocation where there is no queue. @default none: the schedule goes on */
  readonly handOver?: DrainOptions["handOver"] | undefined;
  /** null: exact wakes are left to the schedule. */
  readonly queue: LeasedQueue<TDelivery> | null;
  /** Of the invocation that the caller is in: keeps it alive; undefined: the caller is in none. */
  readonly waitUntil: () => ((work: Promise<unknown>) => void) | undefined;
  /** The process, when after its SIGTERM nothing more is to be claimed or begun, and what is left handed over. @default none */
  readonly signals?: StopSource | undefined;
}

/** The part of `process` that matters here. */
export interface StopSource {
  once(signal: "SIGTERM", listener: () => void): unknown;
}

/** A wake that the queue has delivered. */
export interface TakenWake<TDelivery> {
  readonly delivery: TDelivery;
  /** The message's body; null: what was delivered is no message of ours. */
  readonly text: string | null;
  /** What is left of the message's lease; NaN: that is not known. */
  readonly leaseMs: DurationMs;
  /** false: takes it off the queue, and no more. */
  readonly ticks: boolean;
}

/** Drains due work in invocations that a queue begins. */
export interface QueueDrain<TDelivery> extends DrivingPlatform, Omit<Drain, "platform"> {
  /**
   * Ticks for a message, and acknowledges it when that is done.
   *
   * @returns false: have it delivered again; its tick failed, or could not pass on what it leaves
   */
  takeWake(wake: TakenWake<TDelivery>): Promise<boolean>;
  /** Resolves when nothing is in hand that the platform would not wait for: await it before the answer. */
  settled(): Promise<void>;
}

/** The engine's default lease and a little more; where leases are longer, the tick then finds when they end. */
const LEASE_OVER_SECONDS = 9;

/** One for each process. */
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
  // Where wakes are exact, nobody is paid to wait for one.
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
    // Each who is woken by the queue wakes for what comes next.
    wakesFor: queue === null ? "any" : "own",
    handOver: wakes?.wakeNow ?? options.handOver ?? refuse,
    wakeIn: async (delayMs, hint) => wakes?.wakeIn(delayMs, hint),
  });
  // Should an invocation end before its work does, the message finds what it left, and mends a chain of wakes that broke;
  // one at a time for all of this process.
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
      // That it could not be armed has been logged, and the work is done all the same.
      if (hint.held !== undefined || deadline() - now() >= MIN_DRAIN_MS)
        await deadMan.wakeIn(LEASE_OVER_SECONDS * 1000).catch(() => undefined);
      await platform.wakeNow(hint);
    },
    takeWake: createTaker({ queue, persistent, wakes, run: drain.run, logger }),
  };
}

async function refuse(): Promise<never> {
  throw new WorkflowError("WAKE_FAILED", "no time is left, and nobody to hand over to");
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
      // What is no wake is none the next time either: it is acknowledged too.
      if (message === null) logger.log("error", "wake.unreadable", { code: "INVALID_REQUEST" });
      else if (wake.ticks) {
        wakes?.rang(message);
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

/** @throws what the tick throws, and WAKE_FAILED where nobody would come back for what it leaves */
async function tickOnLease<TDelivery>(
  { queue, persistent, wakes, run, logger }: TakerParts<TDelivery>,
  { delivery, leaseMs }: TakenWake<TDelivery>,
  message: WakeMessage,
): Promise<void> {
  const { hopCount, thenAt: thenWakeAt } = message;
  // Whoever takes it wakes for what comes next.
  const isLeft = (await wakes?.forward([message]))?.length === 0;
  const extend = async (seconds: number): Promise<boolean> =>
    queue === null ? false : queue.extend(delivery, seconds);
  const release = holdLease(extend, leaseMs);
  const lostBefore = persistent?.lostCount;
  // It comes again as what was left to others: were it to come again itself too, a tick that fails would make two of one.
  const tell = (error: unknown): void => logger.log("error", "tick.failed", toLogFields(error));
  if (isLeft) return void (await run({ wakesFor: "own" }).catch(tell).finally(release));
  const output = await run({ hopCount, thenWakeAt }).finally(release);
  if (persistent?.lostCount === lostBefore && !isBlind(output)) return;
  throw new WorkflowError("WAKE_FAILED", "nobody would come back for what the tick leaves");
}
