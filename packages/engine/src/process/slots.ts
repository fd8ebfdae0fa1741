/** The slots of one process: how many runs it advances at once, and which ones. */
import { toLogFields } from "../core/errors.ts";
import { late } from "../core/late.ts";
import { toClaimToken } from "../core/lease-owner.ts";
import { SUSPECT_ATTEMPTS as SUSPECT_LEASES } from "../core/suspects.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { ClaimedRun, ClaimResult, ClaimTicket } from "../ports/claim.ts";
import type { Budget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";
import { startSession } from "../run/run-workflow.ts";
import type { Session } from "../run/session-interface.ts";
import type { SessionOptions } from "../run/session-options.ts";
import type { SessionEnd } from "../run/session-end.ts";
import { createSignal, type Signal } from "./signal.ts";
import type { SlotLimit } from "./slot-limit.ts";
import { hasLoops, loopCode } from "../run/known-run.ts";

const reading = late(() => import("./whole-run.ts"));

/** Options of a session. */
export type StartOptions = SessionOptions;

/** The ticket of a claim, with the end of its leases by the process's monotonic clock. */
export interface Ticket extends ClaimTicket {
  readonly leaseEndsAtMs: number;
}

/** Handles a run that was claimed. */
export type Admit = (run: ClaimedRun, options: StartOptions) => void;

/** Whether a run can begin at once. */
const isReady = (run: ClaimedRun): boolean =>
  run.isWhole && (!hasLoops(run) || !(loopCode() instanceof Promise));

export class Slots {
  /** Signals that a slot became free, and how long it was held. */
  readonly freed: Signal<DurationMs> = createSignal();
  /** Signals each session as it begins. */
  readonly opened: Signal<Session> = createSignal();
  /** Signals the end of each session. */
  readonly ended: Signal<SessionEnd> = createSignal();
  /** Signals that the engine is closed: nobody learns anything more through it. */
  readonly shut: Signal<null> = createSignal();
  isShut = false;
  /** Slots that are kept for runs that are being claimed or wait for a slot. There may be more of these than slots. */
  reserved = 0;
  readonly #limit: SlotLimit;
  readonly #context: RunContext;
  readonly #sessions = new Set<Session>();
  readonly #claims = new Set<Promise<unknown>>();
  /** How many runs hold a slot: those whose last commit has not begun. */
  #advancing = 0;
  #hasClaimed = false;
  /** Distinguishes this life of a process with a `runnerId` from earlier ones. */
  readonly #life: string;
  /** The suspect that this process advances. Nothing else begins until it has made progress. */
  #suspect: Session | null = null;

  constructor(context: RunContext, limit: SlotLimit) {
    this.#context = context;
    this.#limit = limit;
    this.#life = context.host.newId();
  }

  /** Nothing may begin, because a suspect has to be alone. */
  get isClosed(): boolean {
    return this.#suspect !== null;
  }

  /** Ends all waits. */
  shutDown(): void {
    this.isShut = true;
    this.shut.emit(null);
  }

  /** How many slots there are now. */
  get count(): number {
    return this.#limit.count;
  }

  /** How many slots are free and not reserved; below 0 if more are reserved than exist. */
  get free(): number {
    return this.isClosed ? 0 : this.count - this.#advancing - this.reserved;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  /** Claims up to `limit` due runs, for which the caller has reserved slots, and passes each to `admit`. One trip. */
  claim(limit: number, budget: Budget, admit: Admit): Promise<ClaimResult> {
    const claiming = this.#claim(limit, budget, admit);
    const ended: Promise<unknown> = claiming
      .catch(() => undefined)
      .finally(() => this.#claims.delete(ended));
    this.#claims.add(ended);
    return claiming;
  }

  /** Waits for claims in flight, after which their reserved slots may be free. @returns whether one is */
  async isFreed(): Promise<boolean> {
    while (this.free <= 0 && this.#claims.size > 0) await Promise.race(this.#claims);
    return this.free > 0;
  }

  async #claim(limit: number, budget: Budget, admit: Admit): Promise<ClaimResult> {
    const { claimedNames, store, runnerId, lifecycle } = this.#context;
    const { token, leaseMs, leaseEndsAtMs } = this.newTicket(budget.remainingMs());
    const result = await store.claim({
      token,
      leaseMs,
      limit,
      workflowNames: claimedNames,
      suspects: this.#sessions.size === 0 ? "alone" : "leave",
      ...(this.#hasClaimed ? {} : { formerRunnerId: runnerId, life: this.#life }),
    });
    this.#hasClaimed = true;
    const { runs, now } = result;
    lifecycle.tell?.({ kind: "claimed", limit, runCount: runs.length, now });
    const observedAtMs = this.#context.host.elapsedMs();
    const options = { now, observedAtMs, budget, leaseEndsAtMs };
    const others: ClaimedRun[] = [];
    for (const run of runs)
      if (isReady(run)) admit(run, options);
      else others.push(run);
    for (const run of others) await this.admit(run, options, admit);
    return result;
  }

  /**
   * Passes a run to `admit`: at once, or when all of its steps, and the code for its loops, are loaded.
   *
   * @returns false: they could not be loaded, and nobody continues the run until its lease ends
   */
  async admit(run: ClaimedRun, options: StartOptions, admit: Admit): Promise<boolean> {
    if (!isReady(run))
      try {
        if (!run.isWhole)
          ({ run, options } = await (await reading()).readWhole(this.#context, run, options));
        if (hasLoops(run)) await loopCode();
      } catch (error) {
        this.#context.logger.log("warn", "history.unread", { ...run.run, ...toLogFields(error) });
        return false;
      }
    admit(run, options);
    return true;
  }

  start(run: ClaimedRun, options: StartOptions): Session {
    const { host } = this.#context;
    const startedAt = host.elapsedMs();
    const session = this.open(run, options);
    this.#advancing += 1;
    void session.milestones.leaving.then(() => {
      const heldMs = host.elapsedMs() - startedAt;
      this.#limit.noteFreed(heldMs, this.free <= 0);
      this.#advancing -= 1;
      this.freed.emit(heldMs);
    });
    return session;
  }

  /** Like `start`, but without a slot. */
  open(run: ClaimedRun, options: StartOptions): Session {
    const { lifecycle } = this.#context;
    lifecycle.tell?.({ kind: "opened", claimed: run, now: options.now });
    const session = startSession(this.#context, run, options);
    this.#sessions.add(session);
    if (run.lostLeases >= SUSPECT_LEASES) this.#keepAlone(session);
    void session.milestones.ended.then((end) => {
      this.#sessions.delete(session);
      const ids = session.followed?.logIds();
      this.#context.logger.log("debug", "run.ended", { ...run.run, end: end.kind, ...ids });
      session.followed?.left(end.kind);
      lifecycle.tell?.({ kind: "left", claimed: run, end: end.kind });
      this.ended.emit(end);
    });
    this.opened.emit(session);
    return session;
  }

  /** A lease never outlives its invocation by more than a few seconds (schedulers.md, rule R6). */
  newTicket(remainingMs: number): Ticket {
    const { host, runnerId, runner, leaseMs: longestMs } = this.#context;
    const leaseMs = Math.max(1000, Math.min(longestMs, Math.round(remainingMs + 5000)));
    const token = toClaimToken({ runnerId, runner, life: this.#life }, host.newId());
    return { token, leaseMs, leaseEndsAtMs: host.elapsedMs() + leaseMs };
  }

  #keepAlone(session: Session): void {
    this.#suspect = session;
    void session.milestones.progressed.then(() => {
      if (this.#suspect !== session) return;
      this.#suspect = null;
      this.freed.emit(Infinity);
    });
  }
}

/** Stops sessions now, and waits until each has released its run. */
export async function interruptSessions(sessions: Iterable<Session>): Promise<void> {
  const all = [...sessions];
  for (const session of all) session.interrupt();
  await Promise.all(all.map((session) => session.milestones.ended));
}
