/** One invocation on a platform that only ticks: tick, then make sure that another invocation comes for what is left. */
import type { Logger } from "../ports/logger.ts";
import { toSafeLogger } from "../ports/safe-logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { CoreService } from "../ports/service.ts";
import type { NextWakeOutput, TickInput, TickOutput } from "../ports/tick.ts";
import { createConsoleLogger } from "../process/console-logger.ts";

/** The part of an engine that driving needs. */
export type DriveEngine = Pick<CoreService, "tick">;

/** Bounds of the tick, and of the chain of hand-overs that it may continue. The platform gives the deadline, and the trips if you give none. */
export interface DriveOptions extends Omit<TickInput, "deadline" | "passOn"> {
  /** `hopCount` of the hint that woke this invocation; 0: it was a request, a due time or a schedule. @default 0 @minimum 0 */
  readonly hopCount?: number;
  /** The most hand-overs in a row; after that, the safety-net tick continues. @default 1000 @minimum 0 */
  readonly maxHops?: number;
  /** Wakes begin invocations elsewhere, so a running tick passes on what it cannot take. @default false */
  readonly passesOn?: boolean;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** The output of a tick that found nothing and knows of nothing to come. */
export const IDLE_TICK: TickOutput = {
  processed: 0,
  steps: 0,
  moreDue: false,
  nextWakeInMs: null,
  nextWakeAt: null,
  thenWakeAt: null,
  quietMs: null,
};

/** Whether a tick had no time to look. It does not know what to wake for, so its own wake has to be repeated. */
export const isBlind = ({ moreDue, processed, nextWakeInMs }: TickOutput): boolean =>
  moreDue && processed === 0 && nextWakeInMs === null;

const ANY_INSTANCE = { workflowName: null, instanceId: null };

/** A chain logs a warning each time it has grown by this many hand-overs. */
const LONG_CHAIN_HOPS = 100;

/**
 * Ticks until `platform.deadline()`, less the budget's margin, or until its trips are used up. Then it wakes at most once: now, if
 * this tick made progress and left work that is due; otherwise at the next due time.
 *
 * Without progress it never hands over, so that a tick that can do nothing does not call itself for ever. A wake that fails
 * is logged as `wake.failed` and not thrown, because the safety-net tick finds the work.
 *
 * @throws {WorkflowError} STORE_UNAVAILABLE, and whatever else the tick throws; then it does not wake
 * @source research note schedulers.md, rules R1, R2, R4 and R5
 */
export async function drive(
  engine: DriveEngine,
  platform: Platform,
  options: DriveOptions = {},
): Promise<TickOutput> {
  const { hopCount = 0, maxHops = 1000, logger: log = createConsoleLogger(), ...others } = options;
  const logger = toSafeLogger(log);
  const { passesOn = false, ...bounds } = others;
  const wakeNext = async ({ nextWakeInMs, ...next }: NextWakeOutput): Promise<void> => {
    if (nextWakeInMs === null) return;
    const { nextWakeAt: dueAt, thenWakeAt } = next;
    const hint: WakeHint = { ...ANY_INSTANCE, reason: "wake", dueAt, thenWakeAt };
    await tryWake(() => platform.wakeIn(nextWakeInMs, hint), hint, logger);
  };
  const output = await engine.tick({
    tripsLeft: platform.trips?.allow(),
    ...bounds,
    ...(passesOn ? { passOn: wakeNext } : {}),
    deadline: platform.deadline(),
  });
  const { moreDue, processed } = output;
  if (moreDue && processed > 0)
    await handOver(platform, { hopCount: hopCount + 1, maxHops, logger });
  else await wakeNext(output);
  return output;
}

/** Wakes, or logs that the wake failed. Never throws: a lost wake costs only time. */
export async function tryWake(
  wake: () => Promise<void>,
  hint: WakeHint,
  logger: Logger,
): Promise<void> {
  try {
    await wake();
  } catch (error) {
    logger.log("warn", "wake.failed", { ...hint, error: String(error), code: "WAKE_FAILED" });
  }
}

interface Hop {
  readonly hopCount: number;
  readonly maxHops: number;
  readonly logger: Logger;
}

async function handOver(platform: Platform, { hopCount, maxHops, logger }: Hop): Promise<void> {
  if (hopCount > maxHops) return logger.log("warn", "wake.too_many_hops", { maxHops });
  if (hopCount % LONG_CHAIN_HOPS === 0)
    logger.log("warn", "wake.long_chain", { hopCount, maxHops });
  const hint: WakeHint = { ...ANY_INSTANCE, reason: "more", hopCount };
  await tryWake(() => platform.wakeNow(hint), hint, logger);
}
