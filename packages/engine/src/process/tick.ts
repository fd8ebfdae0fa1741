/** One bounded pass: claim what is due, advance it, stop before the time is up. */
import type { Host } from "../ports/host.ts";
import type { TickInput, TickOutput } from "../ports/service.ts";
import { type Budget, createBudget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";
import { interruptSessions, type Slots } from "./slots.ts";
import type { Session } from "../run/session.ts";
import type { SessionEnd } from "../run/session-end.ts";
import type { Signal } from "./signal.ts";

export interface TickOptions {
  readonly context: RunContext;
  readonly slots: Slots;
  /** Something came due in this process. */
  readonly work: Signal<unknown>;
  /** See `BudgetOptions.expectedStepMs`. */
  readonly expectedStepMs: number;
}

type Claim = Awaited<ReturnType<Slots["claim"]>>;

interface TickState {
  readonly budget: Budget;
  readonly maxInstances: number;
  readonly wakesForLeases: boolean;
  readonly active: Set<Session>;
  processed: number;
  /** When the next work comes due that is known, by the process's monotonic clock; Infinity: never by itself. */
  nextWakeAtMs: number;
  /** The same for what it waits for. */
  wakesAt: number;
  /** Database instants at which runs come due that this tick parked and waits for, where it waits for no others; null: it does. */
  ownDueAts: number[] | null;
  /** How long it waits for those, by the process's monotonic clock. */
  readonly ownLingerEndsAtMs: number;
  /** A claim may find something. */
  mayFindMore: boolean;
  /** A run was handed over for want of time or steps: claim nothing more. */
  isSpent: boolean;
}

/** Runs one tick. Safe to run many at once, in one process or in many. */
export async function runTick(options: TickOptions, input: TickInput): Promise<TickOutput> {
  const {
    deadline = null,
    maxInstances = 100,
    maxSteps = Infinity,
    lingerMs = deadline === null ? 0 : 5000,
    ownLingerEndsAt = null,
    wakesForLeases = true,
    signal,
  } = input;
  const { host } = options.context;
  const budget = createBudget(host, {
    deadline,
    maxSteps,
    expectedStepMs: options.expectedStepMs,
    signal,
  });
  const state: TickState = {
    budget,
    maxInstances,
    wakesForLeases,
    active: new Set(),
    processed: 0,
    nextWakeAtMs: Infinity,
    wakesAt: Infinity,
    ownDueAts: ownLingerEndsAt === null ? null : [],
    ownLingerEndsAtMs: host.elapsedMs() + (ownLingerEndsAt ?? 0) - host.now(),
    mayFindMore: true,
    isSpent: false,
  };
  const maxLingerMs = (): number =>
    ownLingerEndsAt === null ? lingerMs : state.ownLingerEndsAtMs - host.elapsedMs();
  const stopListening = options.work.on(() => {
    state.mayFindMore = true;
  });
  const cancelExpiry = budget.onExpiry(() => void interruptSessions(state.active));
  try {
    await claimUntilDone(options, state, maxLingerMs).catch(async (error: unknown) => {
      await finishActive(state);
      throw error;
    });
  } finally {
    cancelExpiry();
    stopListening();
  }
  const { processed, nextWakeAtMs } = state;
  return {
    processed,
    steps: budget.stepsStarted,
    moreDue: state.isSpent || state.mayFindMore,
    nextWakeInMs:
      nextWakeAtMs === Infinity ? null : Math.max(0, Math.ceil(nextWakeAtMs - host.elapsedMs())),
  };
}

async function claimUntilDone(
  options: TickOptions,
  state: TickState,
  maxLingerMs: () => number,
): Promise<void> {
  const { slots, context } = options;
  for (;;) {
    const wanted = Math.min(slots.free, state.maxInstances - state.processed);
    const mayClaim = !state.isSpent && state.budget.hasTime() && wanted > 0;
    if (mayClaim && state.mayFindMore) await claimOnce(options, state, wanted);
    const isIdle = state.active.size === 0;
    if (isIdle && mayClaim && state.mayFindMore) continue;
    const limitMs = mayClaim
      ? Math.min(isIdle ? maxLingerMs() : Infinity, state.budget.remainingMs())
      : 0;
    if (!(await nextTurn(context.host, state, limitMs))) return;
  }
}

/** A claim has failed: platforms stop a process as soon as its tick fails, so runs that are in hand come to their end first. */
async function finishActive({ active }: TickState): Promise<void> {
  while (active.size > 0)
    await Promise.race([...active].map((session) => session.milestones.ended));
}

async function claimOnce(
  { slots, context }: TickOptions,
  state: TickState,
  wanted: number,
): Promise<void> {
  state.mayFindMore = false;
  slots.reserved += wanted;
  const claiming = slots.claim(wanted, state.budget, (run, options) =>
    track(context.host, state, slots.start(run, options)),
  );
  const claim = await claiming.finally(() => (slots.reserved -= wanted));
  if (claim.runs.length === wanted) state.mayFindMore = true;
  state.processed += claim.runs.length;
  const nextWakeAt = state.wakesForLeases ? claim.nextWakeAt : claim.nextDueAt;
  const toElapsedMs = (at: number): number => context.host.elapsedMs() + at - claim.now;
  state.nextWakeAtMs = toElapsedMs(nextWakeAt ?? Infinity);
  state.wakesAt = toElapsedMs(toDueAt(state, claim));
}

/** When to claim next. What a tick parked and is due has been claimed now, by this one or by another. */
function toDueAt(state: TickState, { now, nextDueAt }: Claim): number {
  if (state.ownDueAts === null) return nextDueAt ?? Infinity;
  state.ownDueAts = state.ownDueAts.filter((at) => at > now);
  return state.ownDueAts.reduce((first, at) => Math.min(first, at), Infinity);
}

/**
 * Waits until a run ends, or until the next due time if it is less than `limitMs` away.
 *
 * @returns false when there is neither
 */
async function nextTurn(host: Host, state: TickState, limitMs: number): Promise<boolean> {
  const turns: Promise<unknown>[] = [...state.active].map((session) => session.milestones.ended);
  const waitMs = Math.max(1, state.wakesAt - host.elapsedMs());
  let cancel = (): void => {};
  if (waitMs <= limitMs && waitMs < Infinity) {
    const due = new Promise<void>((resolve) => {
      cancel = host.setTimer(waitMs, resolve);
    });
    turns.push(due.then(() => (state.mayFindMore = true)));
  }
  if (turns.length === 0) return false;
  await Promise.race(turns);
  cancel();
  return true;
}

function track(host: Host, state: TickState, session: Session): void {
  state.active.add(session);
  void session.milestones.ended.then((end) => {
    state.active.delete(session);
    noteEnd(host, state, end);
  });
}

function noteEnd(host: Host, state: TickState, end: SessionEnd): void {
  if (end.kind === "released") state.isSpent = true;
  // The answer to its last commit may have been lost: only the database knows when the run is due.
  if (end.kind === "lost") state.mayFindMore = true;
  if (end.kind !== "parked" || end.dueAt === null || end.dueInMs === null) return;
  if (end.dueInMs <= 0) state.mayFindMore = true;
  const dueAtMs = host.elapsedMs() + end.dueInMs;
  // A backlog may park any number of runs until next year.
  if (dueAtMs < state.ownLingerEndsAtMs) state.ownDueAts?.push(end.dueAt);
  state.wakesAt = Math.min(state.wakesAt, dueAtMs);
  state.nextWakeAtMs = Math.min(state.nextWakeAtMs, dueAtMs);
}
