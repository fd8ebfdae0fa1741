/** A platform's exact wake as one alarm: kept within what the platform can hold, and only ever set earlier. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import { asWake } from "./as-wake.ts";

/** How the platform's one wake is set. */
export interface WakeArmOptions<TTold> {
  /** Sets the platform's alarm. @param delayMs from 0 to `maxWakeMs` @param told as `WakeArm.wakeIn` is */
  readonly arm: (delayMs: DurationMs, told: TTold) => Promise<void>;
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
export interface WakeArm<TTold> {
  /**
   * Arms for an instant so far ahead, unless the alarm is armed for that one or an earlier one that is still to come. Beyond
   * `maxWakeMs` it takes several in a row: waking early is legal, and the tick that finds nothing due arms the rest. Resolves
   * when the alarm that covers it is set, whoever asked for that.
   *
   * @param told for `arm`, if it comes to that
   * @throws WAKE_FAILED where `arm` fails; the alarm then counts as not armed
   */
  readonly wakeIn: (delayMs: DurationMs, told: TTold) => Promise<void>;
  /** Learns what the platform says it is armed for, maybe by an earlier process; null: nothing. */
  readonly recall: (at: EpochMs | null) => void;
  /** The alarm has rung, maybe early. Call it in each invocation that a wake began, before it ticks. */
  readonly rang: () => void;
}

/** Two answers of a database that tell of one instant differ by what the way took, in milliseconds: that is worth no new alarm. */
export const SAME_WAKE_MS = 250;

/**
 * Creates the keeper of a platform's one wake, which is only ever set earlier.
 *
 * @source research note schedulers.md, rules R2 and R3
 */
export function createWakeArm<TTold = void>(options: WakeArmOptions<TTold>): WakeArm<TTold> {
  const { arm, maxWakeMs = Infinity, ringsLate = false, now = Date.now } = options;
  let armedAt = Infinity;
  let arming: Promise<void> = Promise.resolve();
  const wakeIn: WakeArm<TTold>["wakeIn"] = async (delayMs, told) => {
    const instant = now();
    const ahead = Math.min(Math.max(delayMs, 0), maxWakeMs);
    const target = instant + ahead;
    const isToRing = ringsLate || armedAt > instant;
    const isArmed = isToRing && armedAt <= target + SAME_WAKE_MS;
    if (!isArmed) {
      armedAt = target;
      arming = asWake(arm(ahead, told)).catch((error: unknown) => {
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
