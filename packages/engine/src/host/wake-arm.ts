/** A platform's exact wake as one alarm: kept within what the platform can hold, and only ever set earlier. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import { asWake } from "./as-wake.ts";

export interface WakeArmOptions {
  /** Sets the alarm. @param delayMs from 0 to `maxWakeMs` @param saidAt see `WakeArm.wakeIn` */
  readonly arm: (delayMs: DurationMs, saidAt: EpochMs) => Promise<void>;
  /** Farthest ahead that the platform can be asked to wake, in milliseconds. @default no limit @minimum 1 */
  readonly maxWakeMs?: DurationMs;
  /** An alarm whose instant has passed is still to ring. @default false: it has rung, or never will */
  readonly ringsLate?: boolean;
  /** Process clock, which only tells whether what was armed is still to come. @default Date.now */
  readonly now?: () => EpochMs;
}

/**
 * One alarm.
 *
 * What it remembers lives as long as the process, so another process may arm for the same work again: give the
 * platform's alarm a name made of the instant where it has names.
 */
export interface WakeArm {
  /**
   * Arms for an instant so far ahead, unless the alarm is armed for that one or an earlier one that is still to come. Beyond
   * `maxWakeMs` it takes several in a row: waking early is legal, and the tick that finds nothing due arms the rest. Resolves
   * when the alarm that covers it is set, whoever asked for that.
   *
   * @param saidAt when it was said how far ahead, by the clock of whoever said it; only `arm` is told. @default `now()`
   * @throws WAKE_FAILED where `arm` fails; the alarm then counts as not armed
   */
  readonly wakeIn: (delayMs: DurationMs, saidAt?: EpochMs) => Promise<void>;
  /** Learns what the platform says it is armed for, maybe by an earlier process; null: nothing. */
  readonly recall: (at: EpochMs | null) => void;
  /** The alarm has rung, maybe early. Call it in each invocation that a wake began, before it ticks. */
  readonly rang: () => void;
}

/** Two answers of a database that tell of one instant differ by what the way took, in milliseconds: that is worth no new alarm. */
export const SAME_WAKE_MS = 250;

/** @source research note schedulers.md, rules R2 and R3 */
export function createWakeArm(options: WakeArmOptions): WakeArm {
  const { arm, maxWakeMs = Infinity, ringsLate = false, now = Date.now } = options;
  let armedAt = Infinity;
  let arming: Promise<void> = Promise.resolve();
  const wakeIn: WakeArm["wakeIn"] = async (delayMs, saidAt) => {
    const instant = now();
    const ahead = Math.min(Math.max(delayMs, 0), maxWakeMs);
    const target = instant + ahead;
    const isToRing = ringsLate || armedAt > instant;
    const isArmed = isToRing && armedAt <= target + SAME_WAKE_MS;
    if (!isArmed) {
      armedAt = target;
      arming = asWake(arm(ahead, saidAt ?? instant)).catch((error: unknown) => {
        if (armedAt === target) armedAt = Infinity;
        throw error;
      });
    }
    // Until the platform has it, nobody is armed for.
    await arming;
  };
  const recall = (at: EpochMs | null): void => void (armedAt = at ?? Infinity);
  return { wakeIn, recall, rang: () => recall(null) };
}
