/** One bounded pass: claim what is due, advance it, stop before the time is up. */
import { decideWake, type WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { TickInput, TickOutput } from "../ports/service.ts";
import { type Budget, createBudget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";
import { interruptSessions, type Slots } from "./slots.ts";
import type { Session } from "../run/session.ts";
import type { SessionEnd } from "../run/session-end.ts";
import type { Signal } from "./signal.ts";
import type { Trips } from "./trips.ts";

export interface TickOptions {
  readonly context: RunContext;
  readonly slots: Slots;
  /** Something came due in this process. */
  readonly work: Signal<unknown>;
  /** See `BudgetOptions.expectedStepMs`. */
  readonly expectedStepMs: number;
  /** See `Trips.leftOf`. */
  readonly tripsLeftOf: Trips["leftOf"];
}

type Claim = Awaited<ReturnType<Slots["claim"]>>;

interface TickState {
  readonly budget: Budget;
  readonly maxInstances: number;
  readonly wakesFor: WakesFor;
  readonly active: Set<Session>;
  processed: number;
  /** What the last claim saw. */
  claim: Pick<Claim, "nextDueAt" | "nextWakeAt">;
  /** Database instant at which the first of the runs comes due that this tick parked; null: none does. */
  parkedUntil: number | null;
  /** Database instant until which nothing is due and no lease ends; Infinity: ever. */
  quietUntil: number;
  /** The database's clock less the process's monotonic one: at least, by when the last claim was answered. */
  aheadMs: number;
  /** The same at most, by when it was sent. */
  maxAheadMs: number;
  /** The same for what it waits for. */
  wakesAt: number;
  /** Database instants at which runs come due that this tick parked and waits for, where it waits for no others; null: it does. */
  ownDueAts: number[] | null;
  /** How long it waits for those, by the process's monotonic clock. */
  readonly ownUntilMs: number;
  /** A claim may find something. */
  mayFind: boolean;
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
    wakesFor = "any",
    trips,
    signal,
  } = input;
  const { host } = options.context;
  const budget = createBudget(host, {
    deadline,
    maxSteps,
    expectedStepMs: options.expectedStepMs,
    tripsLeft: options.tripsLeftOf(trips),
    runsInHand: () => options.slots.sessions.length,
    signal,
  });
  const state: TickState = {
    budget,
    maxInstances,
    wakesFor,
    active: new Set(),
    processed: 0,
    claim: { nextDueAt: null, nextWakeAt: null },
    parkedUntil: null,
    quietUntil: Infinity,
    aheadMs: 0,
    maxAheadMs: 0,
    wakesAt: Infinity,
    ownDueAts: ownLingerEndsAt === null ? null : [],
    ownUntilMs: host.elapsedMs() + (ownLingerEndsAt ?? 0) - host.now(),
    mayFind: true,
    isSpent: false,
  };
  const maxLingerMs = (): number =>
    ownLingerEndsAt === null ? lingerMs : state.ownUntilMs - host.elapsedMs();
  const stopListening = options.work.on(() => {
    state.mayFind = true;
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
  return toOutput(state, host.elapsedMs());
}

function toOutput(state: TickState, elapsedMs: DurationMs): TickOutput {
  const { processed, budget, quietUntil, wakesFor, claim, parkedUntil } = state;
  const now = state.aheadMs + elapsedMs;
  const latestNow = state.maxAheadMs + elapsedMs;
  const nextWakeAt = decideWake({ wakesFor, latestNow, parkedUntil, ...claim });
  const msUntil = (at: EpochMs): DurationMs | null =>
    at === Infinity ? null : Math.max(0, Math.ceil(at - now));
  const moreDue = state.isSpent || state.mayFind;
  return {
    processed,
    steps: budget.stepsStarted,
    moreDue,
    nextWakeInMs: msUntil(nextWakeAt ?? Infinity),
    nextWakeAt,
    quietMs: moreDue ? 0 : msUntil(quietUntil),
  };
}

async function claimUntilDone(
  options: TickOptions,
  state: TickState,
  maxLingerMs: () => number,
): Promise<void> {
  const { slots, context } = options;
  for (;;) {
    const wanted = Math.min(
      slots.free,
      state.maxInstances - state.processed,
      state.budget.runsToClaim(),
    );
    const mayClaim = !state.isSpent && state.budget.hasTime() && wanted > 0;
    if (mayClaim && state.mayFind) await claimOnce(options, state, wanted);
    const isIdle = state.active.size === 0;
    if (isIdle && mayClaim && state.mayFind) continue;
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
  state.mayFind = false;
  slots.reserved += wanted;
  const sentMs = context.host.elapsedMs();
  const claiming = slots.claim(wanted, state.budget, (run, options) =>
    track(context.host, state, slots.start(run, options)),
  );
  const claim = await claiming.finally(() => (slots.reserved -= wanted));
  if (claim.runs.length === wanted) state.mayFind = true;
  state.processed += claim.runs.length;
  state.claim = claim;
  // What has passed meanwhile nobody was woken for: whatever comes next is this tick's to wake for.
  if (state.parkedUntil !== null && state.parkedUntil <= claim.now)
    state.parkedUntil = claim.nextDueAt;
  state.quietUntil = claim.nextWakeAt ?? Infinity;
  state.aheadMs = claim.now - context.host.elapsedMs();
  state.maxAheadMs = claim.now - sentMs;
  state.wakesAt = toDueAt(state, claim) - state.aheadMs;
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
    turns.push(due.then(() => (state.mayFind = true)));
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
  if (end.kind === "lost") state.mayFind = true;
  if (end.kind !== "parked" || end.dueAt === null || end.dueInMs === null) return;
  if (end.dueInMs <= 0) state.mayFind = true;
  else state.parkedUntil = Math.min(state.parkedUntil ?? Infinity, end.dueAt);
  const dueAtMs = host.elapsedMs() + end.dueInMs;
  // A backlog may park any number of runs until next year.
  if (dueAtMs < state.ownUntilMs) state.ownDueAts?.push(end.dueAt);
  state.wakesAt = Math.min(state.wakesAt, dueAtMs);
  state.quietUntil = Math.min(state.quietUntil, end.dueAt);
}
