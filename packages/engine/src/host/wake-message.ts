/** What a wake says: nothing that a caller could use to run something else. */
import type { EpochMs } from "../core/model/records.ts";
import type { TickInput } from "../ports/service.ts";

export interface WakeMessage {
  /** Hand-overs in a row that end in this one. */
  readonly hopCount: number;
  /** The instant that it was held back for, by the database's clock; null: none. */
  readonly at: EpochMs | null;
  /** See `TickInput.thenWakeAt`. */
  readonly thenAt: EpochMs | null;
  /** A request made work due. */
  readonly isOfRequest: boolean;
}

/** Of nobody in particular, like a schedule's. */
export const BARE_WAKE: WakeMessage = { hopCount: 0, at: null, thenAt: null, isOfRequest: false };

export const toWakeMessage = (message: Partial<WakeMessage>): string =>
  JSON.stringify({ kind: "tick", ...BARE_WAKE, ...message });

/** null: it is no wake. */
export function parseWakeMessage(text: string): WakeMessage | null {
  try {
    const fields = JSON.parse(text) as Partial<Record<"kind" | keyof WakeMessage, unknown>>;
    const { kind, hopCount = 0, at = null, thenAt = null, isOfRequest } = fields;
    const isCount = typeof hopCount === "number" && Number.isSafeInteger(hopCount) && hopCount >= 0;
    const isWake = kind === "tick" && isCount && isInstant(at) && isInstant(thenAt);
    return isWake ? { hopCount, at, thenAt, isOfRequest: isOfRequest === true } : null;
  } catch {
    return null;
  }
}

const isInstant = (value: unknown): value is EpochMs | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));

type Duty = Pick<TickInput, "wakesFor" | "thenWakeAt"> & Pick<WakeMessage, "hopCount">;

/**
 * What the tick is told of all that a batch wakes for. Each who is woken by the queue wakes for what comes next; who is woken
 * again, or by a schedule, mends what broke.
 *
 * @param isAgain one of them has been delivered before
 */
export function joinWakes(wakes: readonly WakeMessage[], isAgain: boolean): Duty {
  const delivered = new Set(wakes.map(({ at }) => at));
  const others = wakes.flatMap(({ thenAt }) =>
    thenAt === null || delivered.has(thenAt) ? [] : thenAt,
  );
  const isLink = ({ hopCount, at }: WakeMessage): boolean => hopCount > 0 || at !== null;
  const isOfRequests = wakes.every(({ isOfRequest }) => isOfRequest);
  const isMend = isAgain || !wakes.every((wake) => wake.isOfRequest || isLink(wake));
  return {
    hopCount: Math.min(...wakes.map(({ hopCount }) => hopCount)),
    thenWakeAt: others.length === 0 ? null : Math.min(...others),
    wakesFor: isMend ? "any" : isOfRequests ? "own" : "due",
  };
}
