/** The slots of one process: how many runs it advances at once, and which. */
import { toLogFields } from "../core/errors.ts";
import { late } from "../core/late.ts";
import { toClaimToken } from "../core/lease-owner.ts";
import { SUSPECT_ATTEMPTS as SUSPECT_LEASES } from "../core/lease.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { ClaimedRun, ClaimResult, ClaimTicket } from "../ports/claim.ts";
import type { Budget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";
import { startSession } from "../run/run-workflow.ts";
import type { Session } from "../run/session.ts";
import type { SessionOptions } from "../run/session-options.ts";
import type { SessionEnd } from "../run/session-end.ts";
import { createSignal, type Signal } from "./signal.ts";
import type { SlotLimit } from "./slot-limit.ts";
import { hasLoops, loopCode } from "../run/known-run.ts";

const reading = late(() => import("./whole-run.ts"));

/** What a session is given beside its run. */
export type StartOptions = SessionOptions;

/** What a claim is asked for with, and when its leases end by the monotonic clock of the process. */
export interface Ticket extends ClaimTicket {
  readonly leaseEndsAtMs: number;
}

/** What is done with a run that has been claimed. */
export type Admit = (run: ClaimedRun, options: StartOptions) => void;

/** It can be begun at once. */
const isReady = (run: ClaimedRun): boolean =>
  run.isWhole && (!hasLoops(run) || !(loopCode() instanceof Promise));

export class Slots {
  /** Told when a slot becomes free, and how long it was taken. */
  readonly freed: Signal<DurationMs> = createSignal();
  /** Told of each session as it begins. */
  readonly opened: Signal<Session> = createSignal();
  /** Told of each session's end. */
  readonly ended: Signal<SessionEnd> = createSignal();
  /** Slots kept for runs that are being claimed or wait for one; may be more than there are. */
  reserved = 0;
  readonly #limit: SlotLimit;
  readonly #context: RunContext;
  readonly #sessions = new Set<Session>();
  readonly #claims = new Set<Promise<unknown>>();
  /** Runs whose last commit is not under way: only those take a slot. */
  #advancing = 0;
  #hasClaimed = false;
  /** Tells this life of a process with a `runnerId` from its former ones. */
  readonly #life: string;
  /** A run is under suspicion of ending its processes: nothing else is begun until it has made progress. */
  #suspect: Session | null = null;

  constructor(context: RunContext, limit: SlotLimit) {
    this.#context = context;
    this.#limit = limit;
    this.#life = context.host.newId();
  }

  /** Nothing may be begun: a run under suspicion is to be alone. */
  get isClosed(): boolean {
    return this.#suspect !== null;
  }

  /** How many there are now. */
  get count(): number {
    return this.#limit.count;
  }

  /** Free slots that are not reserved; below 0 when more are reserved than there are. */
  get free(): number {
    return this.isClosed ? 0 : this.count - this.#advancing - this.reserved;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  /** Claims up to `limit` due runs, whose slots the caller has reserved, and does with each what is told. One trip. */
  claim(limit: number, budget: Budget, admit: Admit): Promise<ClaimResult> {
    const claiming = this.#claim(limit, budget, admit);
    const ended: Promise<unknown> = claiming
      .catch(() => undefined)
      .finally(() => this.#claims.delete(ended));
    this.#claims.add(ended);
    return claiming;
  }

  /** Slots that claims in flight have reserved may be free then. @returns whether one is */
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
    const heardAtMs = this.#context.host.elapsedMs();
    const options = { now, heardAtMs, budget, leaseEndsAtMs };
    const others: ClaimedRun[] = [];
    for (const run of runs)
      if (isReady(run)) admit(run, options);
      else others.push(run);
    for (const run of others) await this.admit(run, options, admit);
    return result;
  }

  /**
   * Does with a run what is told: at once, or when all of its steps are there, and the code that reads its loops.
   *
   * @returns false when they could not be read: nobody goes on with the run until its lease ends
   */
  async admit(run: ClaimedRun, options: StartOptions, admit: Admit): Promise<boolean> {
    const { store, logger, host } = this.#context;
    if (isReady(run)) {
      admit(run, options);
      return true;
    }
    try {
      let [read, heard] = [run, options];
      if (!run.isWhole) {
        const { loadWhole } = await reading();
        const whole = await loadWhole(store, run);
        read = whole.run;
        heard = { ...options, now: whole.now, heardAtMs: host.elapsedMs() };
      }
      if (hasLoops(read)) await loopCode();
      admit(read, heard);
      return true;
    } catch (error) {
      logger.log("warn", "history.unread", { ...run.run, ...toLogFields(error) });
      return false;
    }
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

  /** As `start`, without a slot. */
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

/** Tells sessions to stop now and waits until each has handed its run over. */
export async function interruptSessions(sessions: Iterable<Session>): Promise<void> {
  const all = [...sessions];
  for (const session of all) session.interrupt();
  await Promise.all(all.map((session) => session.milestones.ended));
}
