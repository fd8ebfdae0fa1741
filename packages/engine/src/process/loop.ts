/** Drives an engine in a process that stays: at once after a commit, at the next due time, and by polling as a safety net. */
import { toLogFields } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClaimResult } from "../ports/claim.ts";
import type { Store } from "../ports/store.ts";
import type { UsePurging } from "../run/context.ts";
import { unboundedBudget } from "../run/unbounded-budget.ts";
import { createHintGate } from "./hints.ts";
import type { Prefetch } from "./prefetch.ts";
import { interruptSessions, type Slots } from "./slots.ts";
import type { SessionEnd } from "../run/session-end.ts";
import type { Signal } from "./signal.ts";
import { createTroubleLog } from "./trouble-log.ts";

export interface LoopOptions {
  readonly slots: Slots;
  readonly prefetch: Prefetch;
  readonly host: Host;
  readonly logger: Logger;
  /** Signals that something has become due in this process. */
  readonly work: Signal<unknown>;
  /** The longest time between two looks at the database, in milliseconds. @default 5000 */
  readonly pollMs?: DurationMs;
  /** Reports work of other processes, so that the loop need not wait for its poll. @default it waits */
  readonly listen?: Store["listen"];
  readonly workflowNames: readonly string[];
  /** @default nothing is purged */
  readonly retention?: UsePurging | null;
}

/** A running loop of an engine. */
export interface RunningLoop {
  /**
   * Claims nothing more and waits for the runs that it holds, at most `graceMs`. Then it aborts their bodies (these attempts
   * count as lost) and releases their leases, so that another process continues at once. For a call that the database does not
   * answer, it waits as long as the client does (30 s by default).
   */
  stop(options?: { /** @default 10000 */ readonly graceMs?: DurationMs }): Promise<void>;
}

export function startLoop(options: LoopOptions): RunningLoop {
  const { slots, host } = options;
  const state: LoopState = {
    options,
    isStopped: false,
    claiming: null,
    mayFindMore: true,
    fruitless: 0,
    isPolling: false,
    isHinted: false,
    drainUntilMs: 0,
    drainAgainAtMs: 0,
    log: createTroubleLog(options.logger, host),
    wakesAt: Infinity,
    cancelTimer: () => {},
  };
  const stopListening = [
    options.work.on(() => kick(state)),
    slots.freed.on(() => {
      if (state.mayFindMore) kick(state);
    }),
    slots.ended.on((end) => afterEnd(state, end)),
    listen(state),
  ];
  kick(state);
  return {
    stop: async ({ graceMs = 10_000 } = {}) => {
      state.isStopped = true;
      state.cancelTimer();
      for (const stop of stopListening) stop();
      options.prefetch.releaseWaiting(Infinity);
      await settledWithin(host, graceMs, inHandEnded(state));
      await interruptSessions(slots.sessions);
      await options.retention?.((purging) => purging.stop());
    },
  };
}

/** Listens for hints. Polling goes on, because a hint may be lost unnoticed. */
function listen(state: LoopState): () => void {
  const { listen: listenTo, workflowNames, host, logger } = state.options;
  const gate = createHintGate(host, () => {
    // A hint goes to all processes, so if another one took the work, that is no reason to back off.
    state.isHinted = true;
    kick(state);
  });
  const stop = listenTo?.({
    workflowNames,
    onHint: gate.onHint,
    onTrouble: (error, isFinal) => {
      if (isFinal) logger.log("warn", "loop.not_notified", toLogFields(error));
      else state.log("warn", "loop.listen_failed", toLogFields(error));
    },
  });
  return () => {
    stop?.();
    gate.stop();
  };
}

interface LoopState {
  readonly options: LoopOptions;
  isStopped: boolean;
  /** The claim that is under way. */
  claiming: Promise<void> | null;
  /** Something has become due that no claim has looked for yet. */
  mayFindMore: boolean;
  /** How many claims in a row found nothing although something was due. */
  fruitless: number;
  /** The next claim is only a poll: as far as the last one knew, nothing is due before it. */
  isPolling: boolean;
  /** The next claim is made because of a hint. */
  isHinted: boolean;
  drainUntilMs: number;
  drainAgainAtMs: number;
  readonly log: ReturnType<typeof createTroubleLog>;
  /** When the armed timer fires, by the monotonic clock. */
  wakesAt: number;
  cancelTimer: () => void;
}

/** Claims as soon as there is a free slot. There is one claim at a time, so that the next one fills all slots that became free meanwhile. */
function kick(state: LoopState): void {
  state.mayFindMore = true;
  if (state.isStopped || state.claiming !== null || isDraining(state)) return;
  if (state.options.prefetch.wanted <= 0) return;
  state.claiming = claim(state).finally(() => {
    state.claiming = null;
    if (state.mayFindMore) kick(state);
  });
}

async function claim(state: LoopState): Promise<void> {
  const { prefetch, host } = state.options;
  const pollMs = pollMsOf(state);
  // Runs whose commits share a trip end together. One claim then fills all their slots.
  await new Promise<void>((resolve) => host.afterTurn(resolve));
  const { wanted } = prefetch;
  if (state.isStopped || isDraining(state) || wanted <= 0) return;
  state.mayFindMore = false;
  const isPoll = state.isPolling || state.isHinted;
  state.isHinted = false;
  try {
    const result = await prefetch.claim(wanted);
    if (result.runs.length === wanted) state.mayFindMore = true;
    const isFruitless = result.runs.length === 0 && !isPoll;
    state.fruitless = isFruitless ? state.fruitless + 1 : 0;
    if (result.suspectDue) drain(state);
    const delayMs = delayAfter(state, result);
    state.isPolling = delayMs > pollMs;
    rearm(state, Math.min(pollMs, delayMs));
    // The runs that were found have begun by now; purge beside them.
    if (!state.isStopped) purgeBeside(state);
  } catch (error) {
    state.fruitless += 1;
    state.log("warn", "loop.claim_failed", toLogFields(error));
    rearm(state, Math.min(pollMs, BACK_OFF_MS));
  }
}

/** When to look again. If a due run could not be claimed, another process has it locked, so do not spin. */
function delayAfter(state: LoopState, { nextWakeAt, now, runs }: ClaimResult): DurationMs {
  const dueInMs = (nextWakeAt ?? Infinity) - now;
  const isSpinning = runs.length === 0 && (dueInMs <= 0 || state.fruitless > 2);
  return Math.max(1, isSpinning ? Math.max(dueInMs, BACK_OFF_MS) : dueInMs);
}

/** How long a loop waits if it could claim nothing, or if the database is away: less than two looks a second. */
const BACK_OFF_MS: DurationMs = 550;

/**
 * A suspect waits for a process that holds nothing else. If all processes are busy, there would be none, so this one begins
 * nothing for a moment. When it holds nothing, it takes the suspect.
 */
function drain(state: LoopState): void {
  const { host } = state.options;
  const nowMs = host.elapsedMs();
  if (nowMs < state.drainAgainAtMs) return;
  state.drainUntilMs = nowMs + DRAIN_MS;
  state.drainAgainAtMs = nowMs + DRAIN_MS * 12;
  host.setTimer(DRAIN_MS, () => kick(state));
}

/** How long a process begins nothing because of a suspect. It does so at most once in twelve times as long. */
const DRAIN_MS: DurationMs = 5000;

const isDraining = ({ drainUntilMs, options: { host, slots } }: LoopState): boolean =>
  host.elapsedMs() < drainUntilMs && slots.sessions.length > 0;

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

/** Sets the one timer, which only ever moves earlier between two claims. */
function armEarlier(state: LoopState, delayMs: number): void {
  const { host } = state.options;
  const at = host.elapsedMs() + delayMs;
  if (state.isStopped || at >= state.wakesAt) return;
  state.cancelTimer();
  state.wakesAt = at;
  state.cancelTimer = host.setTimer(delayMs, () => {
    // If this finds no free slot, nothing else may report when there is one.
    rearm(state, pollMsOf(state));
    kick(state);
  });
}

function purgeBeside({ options: { retention, slots, host } }: LoopState): void {
  const isIdle = (): boolean => slots.sessions.length === 0;
  void retention?.((purging) => purging.beside(unboundedBudget(host), isIdle));
}

/** Waits for held runs to end, and for a claim under way, which may bring more. */
async function inHandEnded({ claiming, options }: LoopState): Promise<void> {
  await claiming;
  await Promise.all(options.slots.sessions.map((session) => session.milestones.ended));
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
