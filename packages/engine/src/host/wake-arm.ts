/** A platform's exact wake as one alarm: kept within what the platform can hold, and only ever set earlier. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

export interface WakeArmOptions {
  /** Sets the platform's alarm. The instant is in the future or now, and within `maxWakeMs`. @throws WAKE_FAILED */
  readonly arm: (at: EpochMs) => Promise<void>;
  /** Farthest ahead that the platform can be asked to wake, in milliseconds. @default no limit @minimum 1 */
  readonly maxWakeMs?: DurationMs;
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

/**
 * One alarm.
 *
 * What it remembers lives as long as the process, so another process may arm the same instant again: give the
 * platform's alarm a name made of the instant where it has names.
 */
export interface WakeArm {
  /**
   * Arms for `at`, unless the alarm is armed for that instant or an earlier one that is still to come.
   *
   * @throws what `arm` throws; the alarm then counts as not armed
   */
  readonly wakeAt: (at: EpochMs) => Promise<void>;
  /** The alarm has rung, maybe early. Call it in each invocation that a wake began, before it ticks. */
  readonly rang: () => void;
}

/** @source research note schedulers.md, rules R2 and R3 */
export function createWakeArm(options: WakeArmOptions): WakeArm {
  const { arm, maxWakeMs = Infinity, now = Date.now } = options;
  let armedAt = Infinity;
  const wakeAt = async (at: EpochMs): Promise<void> => {
    const instant = now();
    const target = clampWake(at, instant, maxWakeMs);
    // What was armed for an instant that has passed has rung, or never will.
    const isArmed = armedAt > instant && armedAt <= target;
    if (isArmed) return;
    armedAt = target;
    try {
      await arm(target);
    } catch (error) {
      if (armedAt === target) armedAt = Infinity;
      throw error;
    }
  };
  return { wakeAt, rang: () => void (armedAt = Infinity) };
}

/**
 * The instant to arm for, so that `at` is reached by as many wakes in a row as it takes: waking early is legal, and the
 * tick that finds nothing due arms the rest.
 *
 * @returns `at`, but not before `now` and at most `maxWakeMs` after it
 */
export const clampWake = (at: EpochMs, now: EpochMs, maxWakeMs: DurationMs): EpochMs =>
  Math.min(Math.max(at, now), now + maxWakeMs);
