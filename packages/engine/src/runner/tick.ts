/** One bounded pass: claim what is due, advance it, stop before the time is up. */
import type { TickInput, TickOutput } from "../ports/service.ts";
import { type Budget, createBudget } from "./budget.ts";
import type { RunnerContext } from "./context.ts";
import { interruptSessions, type RunPool } from "./pool.ts";
import type { Session, SessionEnd } from "./session.ts";
import type { Signal } from "./signal.ts";

export interface TickOptions {
  readonly context: RunnerContext;
  readonly pool: RunPool;
  /** Something came due in this process. */
  readonly work: Signal<unknown>;
  /** See `BudgetOptions.expectedStepMs`. */
  readonly expectedStepMs: number;
}

interface TickState {
  readonly budget: Budget;
  readonly maxInstances: number;
  readonly active: Set<Session>;
  processed: number;
  nextWakeAt: number | null;
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
  } = input;
  const budget = createBudget(options.context.host, {
    deadline,
    maxSteps,
    expectedStepMs: options.expectedStepMs,
  });
  const state: TickState = {
    budget,
    maxInstances,
    active: new Set(),
    processed: 0,
    nextWakeAt: null,
    mayFindMore: true,
    isSpent: false,
  };
  const stopListening = options.work.on(() => {
    state.mayFindMore = true;
  });
  const cancelExpiry = budget.onExpiry(() => void interruptSessions(state.active));
  try {
    await claimUntilDone(options, state, lingerMs);
  } finally {
    cancelExpiry();
    stopListening();
  }
  const { processed, nextWakeAt } = state;
  return {
    processed,
    steps: budget.stepsStarted,
    moreDue: state.isSpent || state.mayFindMore,
    nextWakeAt,
  };
}

async function claimUntilDone(
  options: TickOptions,
  state: TickState,
  lingerMs: number,
): Promise<void> {
  for (;;) {
    const wanted = Math.min(options.pool.room, state.maxInstances - state.processed);
    const mayClaim = state.mayFindMore && !state.isSpent && state.budget.hasTime() && wanted > 0;
    if (mayClaim) await claimOnce(options, state, { wanted, lingerMs });
    if (state.active.size > 0) await nextEnd(state);
    else if (!mayClaim || !state.mayFindMore) return;
  }
}

async function claimOnce(
  { pool, context }: TickOptions,
  state: TickState,
  { wanted, lingerMs }: { readonly wanted: number; readonly lingerMs: number },
): Promise<void> {
  state.mayFindMore = false;
  const claim = await pool.claim(wanted, state.budget);
  if (claim.runs.length === wanted) state.mayFindMore = true;
  state.processed += claim.runs.length;
  state.nextWakeAt = claim.nextWakeAt;
  for (const session of claim.sessions) track(state, session);
  const waitMs = (claim.nextWakeAt ?? Infinity) - claim.now;
  const isWorthWaiting =
    state.active.size === 0 && waitMs <= Math.min(lingerMs, state.budget.remainingMs());
  if (!isWorthWaiting || state.mayFindMore) return;
  await new Promise<void>((resolve) => void context.host.setTimer(Math.max(1, waitMs), resolve));
  state.mayFindMore = true;
}

function track(state: TickState, session: Session): void {
  state.active.add(session);
  void session.ended.then((end) => {
    state.active.delete(session);
    noteEnd(state, end);
  });
}

/** Resolves when a slot is free, or, when a claim would find nothing, when all are. */
const nextEnd = async (state: TickState): Promise<unknown> => {
  const ends = [...state.active].map((session) => session.ended);
  return state.mayFindMore ? Promise.race(ends) : Promise.all(ends);
};

function noteEnd(state: TickState, end: SessionEnd): void {
  if (end.kind === "released") state.isSpent = true;
  if (end.kind !== "parked" || end.dueAt === null) return;
  if (end.dueInMs !== null && end.dueInMs <= 0) state.mayFindMore = true;
  state.nextWakeAt = Math.min(state.nextWakeAt ?? Infinity, end.dueAt);
}
