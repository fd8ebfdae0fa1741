/** Drives an engine in a process that stays: at once after a commit, at the next due time, and by polling as a net. */
import { toLogFields } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { Line } from "./line.ts";
import { interruptSessions, type RunPool } from "./pool.ts";
import type { SessionEnd } from "./session.ts";
import type { Signal } from "./signal.ts";

export interface LoopOptions {
  readonly pool: RunPool;
  readonly line: Line;
  readonly host: Host;
  readonly logger: Logger;
  /** Something came due in this process. */
  readonly work: Signal<unknown>;
  /** Longest time between two looks at the database, in milliseconds. @default 5000 */
  readonly pollMs?: DurationMs;
}

export interface Loop {
  /**
   * Claims nothing more and waits for the runs in hand, at most `graceMs`; then their bodies are aborted, their
   * attempts count as lost and their leases are released, so that another process goes on at once.
   */
  stop(options?: { /** @default 10000 */ readonly graceMs?: DurationMs }): Promise<void>;
}

export function startLoop(options: LoopOptions): Loop {
  const { pool, host } = options;
  const state: LoopState = {
    options,
    isStopped: false,
    claiming: null,
    mayFindMore: true,
    wakesAt: Infinity,
    cancelTimer: () => {},
  };
  const stopListening = [
    options.work.on(() => kick(state)),
    pool.freed.on(() => {
      if (state.mayFindMore) kick(state);
    }),
    pool.ended.on((end) => afterEnd(state, end)),
  ];
  kick(state);
  return {
    stop: async ({ graceMs = 10_000 } = {}) => {
      state.isStopped = true;
      state.cancelTimer();
      for (const stop of stopListening) stop();
      options.line.handBack(Infinity);
      await settledWithin(host, graceMs, inHandEnded(state));
      await interruptSessions(pool.sessions);
    },
  };
}

interface LoopState {
  readonly options: LoopOptions;
  isStopped: boolean;
  /** The claim that is under way. */
  claiming: Promise<void> | null;
  /** Something came due that no claim has looked for yet. */
  mayFindMore: boolean;
  /** Process-clock instant of the armed timer. */
  wakesAt: number;
  cancelTimer: () => void;
}

/** Microtask turns within which the runs that leave after one shared trip are heard. */
const GATHERING_TURNS = 8;

/** Claims as soon as there is room; one claim at a time, so that the next takes all slots that became free meanwhile. */
function kick(state: LoopState): void {
  state.mayFindMore = true;
  if (state.isStopped || state.claiming !== null || state.options.line.wanted <= 0) return;
  state.claiming = claim(state).finally(() => {
    state.claiming = null;
    if (state.mayFindMore) kick(state);
  });
}

async function claim(state: LoopState): Promise<void> {
  const { line, logger } = state.options;
  const pollMs = pollMsOf(state);
  // Runs whose commits share a trip leave together: one claim then fills all their slots.
  for (let turn = 0; turn < GATHERING_TURNS; turn += 1) await Promise.resolve();
  const { wanted } = line;
  if (state.isStopped || wanted <= 0) return;
  state.mayFindMore = false;
  try {
    const { runs, nextWakeAt, now } = await line.claim(wanted);
    if (runs.length === wanted) state.mayFindMore = true;
    rearm(state, Math.min(pollMs, Math.max(1, (nextWakeAt ?? Infinity) - now)));
  } catch (error) {
    logger.log("warn", "loop.claim_failed", toLogFields(error));
    rearm(state, Math.min(pollMs, 500));
  }
}

function afterEnd(state: LoopState, end: SessionEnd): void {
  const dueInMs = end.kind === "parked" || end.kind === "released" ? end.dueInMs : null;
  // After a lost answer only the database knows when the run is due.
  const isDue = end.kind === "lost" || (dueInMs !== null && dueInMs <= 0);
  if (isDue) kick(state);
  else if (dueInMs !== null) armEarlier(state, dueInMs);
}

const pollMsOf = ({ options }: LoopState): DurationMs => options.pollMs ?? 5000;

function rearm(state: LoopState, delayMs: number): void {
  state.wakesAt = Infinity;
  armEarlier(state, delayMs);
}

/** One timer, only ever moved earlier between two claims. */
function armEarlier(state: LoopState, delayMs: number): void {
  const { host } = state.options;
  const at = host.now() + delayMs;
  if (state.isStopped || at >= state.wakesAt) return;
  state.cancelTimer();
  state.wakesAt = at;
  state.cancelTimer = host.setTimer(delayMs, () => {
    // Where this kick finds no slot, nobody else may tell when there is one.
    rearm(state, pollMsOf(state));
    kick(state);
  });
}

/** A claim that is under way may still bring runs. */
async function inHandEnded({ claiming, options }: LoopState): Promise<void> {
  await claiming;
  await Promise.all(options.pool.sessions.map((session) => session.ended));
}

async function settledWithin(
  host: Host,
  graceMs: DurationMs,
  settled: Promise<unknown>,
): Promise<void> {
  let cancel: () => void = () => {};
  const timeout = new Promise<void>((resolve) => {
    cancel = host.setTimer(graceMs, resolve);
  });
  await Promise.race([timeout, settled]);
  cancel();
}
