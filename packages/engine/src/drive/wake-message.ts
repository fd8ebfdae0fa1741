/** The contents of a wake. They name nothing that a forged message could use to run something else. */
import type { EpochMs } from "../core/model/records.ts";
import type { TickInput } from "../ports/tick.ts";

/** A wake as it travels through a queue. */
export interface WakeMessage {
  /** How many hand-overs in a row led to this one. */
  readonly hopCount: number;
  /** The time that it was delayed to, by the database's clock; null: none. */
  readonly at: EpochMs | null;
  /** See `TickInput.thenWakeAt`. */
  readonly thenAt: EpochMs | null;
  /** It was sent because a request made work due. */
  readonly isOfRequest: boolean;
  /** The names of the workflows that its sender runs; empty: unknown. */
  readonly workflows: readonly string[];
  /** How often it has been forwarded, see `isForOthers`. */
  readonly forwardCount: number;
}

/** A wake from no particular sender, like that of a schedule. */
export const BARE_WAKE: WakeMessage = {
  hopCount: 0,
  at: null,
  thenAt: null,
  isOfRequest: false,
  workflows: [],
  forwardCount: 0,
};

/** Writes a wake as text. */
export const toWakeMessage = (message: Partial<WakeMessage>): string =>
  JSON.stringify({ kind: "tick", ...BARE_WAKE, ...message });

/** Reads a wake; null: the text is not a wake. */
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

/** If no process runs a workflow any more, a wake for it is forwarded for about a minute. */
const MAX_FORWARDS = 14;
/** The first forwards are a second apart, because half of the processes may have the other deployment. Later ones are further and further apart. */
const QUICK_FORWARDS = 8;

/**
 * Whether the sender runs a workflow that this process does not run, as during a deployment. This process may not see the work
 * that the wake is for.
 *
 * @param own the names of the workflows that this process runs; empty: unknown
 */
export const isForOthers = (
  { workflows, forwardCount }: WakeMessage,
  own: readonly string[],
): boolean =>
  own.length > 0 && forwardCount < MAX_FORWARDS && workflows.some((name) => !own.includes(name));

/** How long to delay a forwarded wake, in whole seconds: longer and longer. */
export const toForwardSeconds = ({ forwardCount }: Pick<WakeMessage, "forwardCount">): number =>
  2 ** Math.max(0, forwardCount - QUICK_FORWARDS);

type Duty = Pick<TickInput, "wakesFor" | "thenWakeAt"> & Pick<WakeMessage, "hopCount">;

/**
 * Joins a batch of wakes into the input of one tick. A tick that the queue woke wakes for what comes next. One that is woken again,
 * or by a schedule, also repairs a broken chain. One that has forwarded all wakes to others wakes only for what it parks itself.
 *
 * @param isAgain one of the wakes was delivered before
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
