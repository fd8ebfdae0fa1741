/** A platform's exact wake as one alarm, which is within the platform's limit and only ever moves earlier. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import { wakeBy } from "./wake-by.ts";

/** How to set the platform's alarm. */
export interface WakeArmOptions<TPayload> {
  /** Sets the platform's alarm. @param delayMs from 0 to `maxWakeMs` @param payload as passed to `WakeArm.wakeIn` */
  readonly arm: (delayMs: DurationMs, payload: TPayload) => Promise<void>;
  /** The longest delay that the platform accepts, in milliseconds. @default no limit @minimum 1 */
  readonly maxWakeMs?: DurationMs;
  /** An alarm whose time has passed may still ring. @default false: it has rung, or never will */
  readonly ringsLate?: boolean;
  /** The process's clock, only used to tell whether an alarm is still to come. @default Date.now */
  readonly now?: () => EpochMs;
}

/**
 * One alarm.
 *
 * It remembers the alarm only as long as the process lives, so another process may set one for the same work. If the platform's
 * alarms have names, make the name from the time.
 */
export interface WakeArm<TPayload> {
  /**
   * Sets the alarm, unless it is set for the same or an earlier time that is still to come. Beyond `maxWakeMs`, it takes several
   * alarms in a row: waking early is allowed, and the tick that finds nothing due sets the next one. Resolves when an alarm that
   * is early enough is set, whoever requested it.
   *
   * @param payload passed to `arm` if it is called
   * @throws WAKE_FAILED if `arm` fails; the alarm then counts as not set
   */
  readonly wakeIn: (delayMs: DurationMs, payload: TPayload) => Promise<void>;
  /** Tells it for when the platform's alarm is set, perhaps by an earlier process; null: it is not set. */
  readonly recall: (at: EpochMs | null) => void;
  /** Call it when the alarm has rung, even early: in each invocation that a wake began, before the tick. */
  readonly fired: () => void;
}

/** Two answers about the same due time differ by their time on the network. A difference below this, in milliseconds, is not worth a new alarm. */
export const SAME_WAKE_MS = 250;

/**
 * Creates the keeper of a platform's alarm, which only ever moves earlier.
 *
 * @source research note schedulers.md, rules R2 and R3
 */
export function createWakeArm<TPayload = void>(
  options: WakeArmOptions<TPayload>,
): WakeArm<TPayload> {
  const { arm, maxWakeMs = Infinity, ringsLate = false, now = Date.now } = options;
  let armedAt = Infinity;
  let arming: Promise<void> = Promise.resolve();
  const wakeIn: WakeArm<TPayload>["wakeIn"] = async (delayMs, payload) => {
    const instant = now();
    const ahead = Math.min(Math.max(delayMs, 0), maxWakeMs);
    const target = instant + ahead;
    const isToRing = ringsLate || armedAt > instant;
    const isArmed = isToRing && armedAt <= target + SAME_WAKE_MS;
    if (!isArmed) {
      armedAt = target;
      arming = wakeBy(arm(ahead, payload)).catch((error: unknown) => {
        if (armedAt === target) armedAt = Infinity;
        throw error;
      });
    }
    // Until the platform has set the alarm, no caller may rely on it.
    await arming;
  };
  const recall = (at: EpochMs | null): void => void (armedAt = at ?? Infinity);
  return { wakeIn, recall, fired: () => recall(null) };
}
