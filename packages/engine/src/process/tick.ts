/** One bounded pass: claims what is due, advances it, and stops before the time is up. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { ClaimResult } from "../ports/claim.ts";
import type { HeldRun, TickInput, TickOutput } from "../ports/tick.ts";
import { type Budget, createBudget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";
import { readNextDue } from "./next-wake.ts";
import { DueWork } from "./due-work.ts";
import { type Admit, interruptSessions, type Slots } from "./slots.ts";
import type { Session } from "../run/session-interface.ts";
import type { SessionEnd } from "../run/session-end.ts";
import type { Signal } from "./signal.ts";

export interface TickOptions {
  readonly context: RunContext;
  readonly slots: Slots;
  /** Signals that something has become due in this process. */
  readonly work: Signal<unknown>;
  /** See `BudgetOptions.expectedStepMs`. */
  readonly expectedStepMs: number;
}

interface TickState {
  readonly budget: Budget;
  readonly dueWork: DueWork;
  readonly input: TickInput;
  readonly active: Set<Session>;
  processed: number;
  /** A claim may find something. */
  mayFind: boolean;
  /** A suspect is due that the last claim did not take: it waits for a process that holds nothing else. */
  suspectDue: boolean;
  /** The tick has read what is due after the runs of the last claim. */
  isNextRead: boolean;
  /** A run was released because time or steps are used up: claim nothing more. */
  isSpent: boolean;
}

/** Runs one tick. Safe to run many at once, in one process or in many. */
export async function runTick(options: TickOptions, input: TickInput): Promise<TickOutput> {
  const {
    deadline = null,
    maxSteps = Infinity,
    lingerMs = deadline === null ? 0 : 5000,
    lingerEndsAt = null,
    tripsLeft,
    signal,
  } = input;
  const { host } = options.context;
  const budget = createBudget(host, {
    deadline,
    maxSteps,
    expectedStepMs: options.expectedStepMs,
    tripsLeft,
    runsInHand: () => options.slots.sessions.length,
    signal,
  });
  const state: TickState = {
    budget,
    input,
    dueWork: new DueWork(input),
    active: new Set(),
    processed: 0,
    mayFind: !input.held,
    suspectDue: false,
    isNextRead: false,
    isSpent: false,
  };
  const lingerEndsMs = host.elapsedMs() + (lingerEndsAt ?? 0) - host.now();
  const maxLingerMs = (): number =>
    lingerEndsAt === null ? lingerMs : lingerEndsMs - host.elapsedMs();
  const stopListening = options.work.on(() => {
    state.mayFind = true;
  });
  const cancelExpiry = budget.onExpiry(() => void interruptSessions(state.active));
  try {
    for (const held of input.held ?? []) await beginWith(options, state, held);
    await claimUntilDone(options, state, maxLingerMs).catch(async (error: unknown) => {
      await finishActive(state);
      throw error;
    });
    if (!state.isSpent && !state.mayFind)
      await options.context.retention?.((purging) => purging.purge(budget));
  } finally {
    cancelExpiry();
    stopListening();
  }
  return toOutput(state, host.elapsedMs());
}

function toOutput(
  { processed, budget, dueWork, ...state }: TickState,
  elapsedMs: DurationMs,
): TickOutput {
  const moreDue = state.isSpent || state.mayFind;
  if (state.suspectDue) dueWork.noteSuspect(elapsedMs);
  const told = { ...dueWork.tell(elapsedMs), ...(moreDue && { quietMs: 0 }) };
  return { processed, steps: budget.stepsStarted, moreDue, ...told };
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
      (state.input.maxInstances ?? 100) - state.processed,
      state.budget.runsToClaim(),
    );
    const mayClaim = !state.isSpent && state.budget.hasTime() && wanted > 0;
    if (mayClaim && state.mayFind) await claimOnce(options, state, wanted);
    const isIdle = state.active.size === 0;
    // This process holds nothing now, and perhaps no other process will come for the suspect.
    if (state.suspectDue && slots.sessions.length === 0) state.mayFind = true;
    if (isIdle && mayClaim && state.mayFind) continue;
    if (isIdle && !mayClaim && mustReadNext(options, state)) {
      if (await slots.isFreed()) continue;
      return void (await note(context, state, readNextDue(context)));
    }
    if (!(isIdle || mayClaim)) await passOn(options, state);
    const limitMs = mayClaim
      ? Math.min(isIdle ? maxLingerMs() : Infinity, state.budget.remainingMs())
      : 0;
    if (!(await nextTurn(context.host, state, limitMs))) return;
  }
}

/** Waits for held runs after a failed claim, because platforms stop a process as soon as its tick fails. */
async function finishActive(state: TickState): Promise<void> {
  while (state.active.size > 0) await Promise.race(endsOf(state));
}

const endsOf = ({ active }: TickState): Promise<unknown>[] =>
  [...active].map((session) => session.milestones.ended);

async function beginWith({ slots }: TickOptions, state: TickState, held: HeldRun): Promise<void> {
  const { claimed, next, leaseEndsAtMs, answeredMs: observedAtMs } = held;
  state.processed += 1;
  // Work that became due meanwhile may have found no slot, and nothing that listened.
  state.mayFind ||= slots.free <= 0;
  slots.reserved -= 1;
  state.dueWork.noteClaim(next, held);
  const options = { now: next.now, observedAtMs, budget: state.budget, leaseEndsAtMs };
  await slots.admit(claimed, options, toAdmit(slots, state));
}

async function claimOnce(
  { slots, context }: TickOptions,
  state: TickState,
  wanted: number,
): Promise<void> {
  state.mayFind = false;
  state.isNextRead = false;
  slots.reserved += wanted;
  const claiming = slots
    .claim(wanted, state.budget, toAdmit(slots, state))
    .finally(() => (slots.reserved -= wanted));
  const claim = await note(context, state, claiming);
  if (claim.runs.length === wanted) state.mayFind = true;
  state.suspectDue = claim.suspectDue;
  state.processed += claim.runs.length;
}

/** Whether to read what is due next although other ticks of this process hold all slots: a tick that was woken has to know what comes next. */
const mustReadNext = ({ slots }: TickOptions, state: TickState): boolean =>
  !state.dueWork.isKnown && !state.dueWork.isOwn && slots.free <= 0 && state.budget.hasTime();

/** Passes on work that becomes due while the tick cannot take it. One trip, and only once after a claim that filled all slots. */
async function passOn(options: TickOptions, state: TickState): Promise<void> {
  const { dueWork } = state;
  if (!state.input.passOn) return;
  if (!dueWork.isOwn && !dueWork.knowsNext && !state.isNextRead) {
    state.isNextRead = true;
    await note(options.context, state, readNextDue(options.context));
  }
  const next = dueWork.passOn(options.context.host.elapsedMs());
  if (next !== null) await state.input.passOn(next);
}

/** Notes what a claim, sent just now, reports about the next due work. */
async function note(
  { host }: RunContext,
  { dueWork }: TickState,
  claiming: Promise<ClaimResult>,
): Promise<ClaimResult> {
  const sentMs = host.elapsedMs();
  const claim = await claiming;
  dueWork.noteClaim(claim, { sentMs, answeredMs: host.elapsedMs() });
  return claim;
}

/**
 * Waits until a run ends, or until the next due time if it is less than `limitMs` away.
 *
 * @returns false: there is neither
 */
async function nextTurn(host: Host, state: TickState, limitMs: number): Promise<boolean> {
  const turns: Promise<unknown>[] = endsOf(state);
  const { inMs, next } = state.dueWork.nextCheck(host.elapsedMs());
  const waitMs = Math.max(1, inMs);
  let cancel = (): void => {};
  if (waitMs <= limitMs && waitMs < Infinity) {
    const due = new Promise<void>((resolve) => {
      cancel = host.setTimer(waitMs, () => {
        state.mayFind = true;
        if (next !== null) state.dueWork.takeOver(next.thenWakeAt);
        resolve();
      });
    });
    turns.push(due);
  }
  if (turns.length === 0) return false;
  await Promise.race(turns);
  cancel();
  return true;
}

const toAdmit =
  (slots: Slots, state: TickState): Admit =>
  (run, options) => {
    const session = slots.start(run, options);
    state.active.add(session);
    void session.milestones.ended.then((end) => {
      state.active.delete(session);
      noteEnd(state, end);
    });
  };

function noteEnd(state: TickState, end: SessionEnd): void {
  if (end.kind === "released") state.isSpent = true;
  // The answer to the last commit may have been lost, so only the database knows when the run is due.
  if (end.kind === "lost") state.mayFind = true;
  if (end.kind !== "parked" || end.dueAt === null || end.dueInMs === null) return;
  if (end.dueInMs <= 0) state.mayFind = true;
  else state.dueWork.notePark(end.dueAt);
}
