/** What a wake says: nothing that a caller could use to run something else. */
import type { EpochMs } from "../core/model/records.ts";
import type { TickInput } from "../ports/tick.ts";

/** A wake as it travels through a queue. */
export interface WakeMessage {
  /** Hand-overs in a row that end in this one. */
  readonly hopCount: number;
  /** The instant that it was held back for, by the database's clock; null: none. */
  readonly at: EpochMs | null;
  /** See `TickInput.thenWakeAt`. */
  readonly thenAt: EpochMs | null;
  /** A request made work due. */
  readonly isOfRequest: boolean;
  /** Names of the workflows that its sender runs; empty: it is not known. */
  readonly workflows: readonly string[];
  /** How often it has been forwarded, see `isForOthers`. */
  readonly forwardCount: number;
}

/** Of nobody in particular, like a schedule's. */
export const BARE_WAKE: WakeMessage = {
  hopCount: 0,
  at: null,
  thenAt: null,
  isOfRequest: false,
  workflows: [],
  forwardCount: 0,
};

/** Gives a wake as text. */
export const toWakeMessage = (message: Partial<WakeMessage>): string =>
  JSON.stringify({ kind: "tick", ...BARE_WAKE, ...message });

/** null: it is no wake. */
export function parseWakeMessage(text: string): WakeMessage | null {
  try {
    const fields = JSON.parse(text) as Partial<Record<"kind" | keyof WakeMessage, unknown>>;
    const { kind, hopCount = 0, at = null, thenAt = null, isOfRequest } = fields;
    const { workflows = [], forwardCount = 0 } = fields;
    if (kind !== "tick" || !isInstant(at) || !isInstant(thenAt) || !isNames(workflows)) return null;
    if (!isCount(hopCount) || !isCount(forwardCount)) return null;
    return { hopCount, at, thenAt, isOfRequest: isOfRequest === true, workflows, forwardCount };
  } catch {
    return null;
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const isInstant = (value: unknown): value is EpochMs | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** Where nobody runs a workflow any more, a wake for it goes round for a minute or so. */
const MAX_FORWARDS = 14;
/** So many a second apart, since half of a fleet may be of either deployment; then ever fewer. */
const QUICK_FORWARDS = 8;

/**
 * Whether whoever sent it runs a workflow that this process does not, as a newer deployment does beside the one before it: what
 * it is for may not be seen here.
 *
 * @param own names of the workflows that this process runs; empty: it is not known
 */
export const isForOthers = (
  { workflows, forwardCount }: WakeMessage,
  own: readonly string[],
): boolean =>
  own.length > 0 && forwardCount < MAX_FORWARDS && workflows.some((name) => !own.includes(name));

/** How long a wake that is for others is held back before it is delivered again, in whole seconds: longer and longer. */
export const toForwardSeconds = ({ forwardCount }: Pick<WakeMessage, "forwardCount">): number =>
  2 ** Math.max(0, forwardCount - QUICK_FORWARDS);

type Duty = Pick<TickInput, "wakesFor" | "thenWakeAt"> & Pick<WakeMessage, "hopCount">;

/**
 * What the tick is told of all that a batch wakes for. Each who is woken by the queue wakes for what comes next; who is woken
 * again, or by a schedule, mends what broke; who leaves all to others, wakes for what the tick parks itself.
 *
 * @param isAgain one of them has been delivered before
 */
export function joinWakes(wakes: readonly WakeMessage[], isAgain: boolean): Duty {
  if (wakes.length === 0) return { hopCount: 0, thenWakeAt: null, wakesFor: "own" };
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
