/**
 * The session's turn: while author code waits, the session does the one thing that is due. It decides about calls, commits
 * pending changes, begins bodies, or leaves the run.
 */
import { decidePark } from "../core/decide/park.ts";
import type { Call, CallDecision } from "./call.ts";
import type { CommitBoundary } from "./commit-boundary.ts";
import { decideCalls, isThere } from "./decide-calls.ts";
import { eventSteps, otherOutcomes } from "./late-code.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import type { RunEnd } from "./run-end.ts";
import type { Session } from "./session-interface.ts";
import type { SessionTimers } from "./session-timers.ts";

export interface SessionTurnParts {
  readonly boundary: CommitBoundary;
  readonly timers: SessionTimers;
  readonly end: RunEnd;
}

export class SessionTurn {
  readonly #session: Session;
  readonly #boundary: CommitBoundary;
  readonly #timers: SessionTimers;
  readonly #end: RunEnd;
  /** How many reads of events are under way. A wait is not decided yet then, so the run may neither park nor end. */
  #reads = 0;

  constructor(session: Session, { boundary, timers, end }: SessionTurnParts) {
    this.#session = session;
    this.#boundary = boundary;
    this.#timers = timers;
    this.#end = end;
  }

  /** Does the one thing that is due. */
  act(): void {
    const session = this.#session;
    const { isOver, ending } = this.#end;
    if (isOver || this.#boundary.isHeld || this.#reads > 0 || !session.code.isReady) return;
    // If the run ends anyway, the request to end is handled with its end.
    const isAsked = ending === null && session.known.endRequested !== null;
    const outcomes = isAsked ? session.code.now(otherOutcomes) : undefined;
    if (outcomes === null) return;
    if (session.transactions?.isWaiting === true || session.pending.isDue)
      return this.#end.follow(this.#commit());
    if (ending !== null) return this.#end.follow(this.#end.end(ending));
    if (session.isAuthorDone || (session.scopes.isOpening && session.stop === null)) return;
    if (!session.isStopping && (outcomes?.leaveAuthor(session) || this.#decideCalls(outcomes)))
      return;
    if (this.#reads > 0) return;
    if (session.starts.isWaiting && session.stop === null) return this.#end.follow(this.#commit());
    if (session.bodies.count > 0) return this.#whileBodiesRun();
    if (session.stop !== null) return this.#end.follow(this.#end.leave({ kind: session.stop }));
    if (session.tellQuiet()) return;
    const { waits } = session.calls;
    if (waits.length > 0) this.#end.follow(this.#end.leave(decidePark(waits)));
    else this.#timers.awaitOutsideStep(session);
  }

  /** Renews the lease, with a commit of everything that is pending. */
  beat(): void {
    if (this.#boundary.isRenewalDue) this.#end.follow(this.#commit());
  }

  /** Decides about each call: outcomes first, in the order in which they came about. @returns whether that ends the turn */
  #decideCalls(outcomes: typeof OtherOutcomes | undefined): boolean {
    const session = this.#session;
    const decided = decideCalls(session.calls, session.pending);
    if (decided === null) return true;
    const { settled, others } = decided;
    for (const { call, decision } of settled)
      if (isThere(decision, session.known.events)) session.settle({ call, ...decision });
    if (settled.length > 0) return true;
    if (outcomes?.deliverCancel(session)) return true;
    for (const { call, decision } of others) this.#apply(call, decision);
    return false;
  }

  #apply(call: Call, decision: Exclude<CallDecision, { kind: "settle" | "later" }>): void {
    const session = this.#session;
    if (decision.kind === "read") this.#end.follow(this.#readEvents(decision.eventTypes));
    else if (decision.kind === "wait") {
      if (decision.step !== null) session.pending.add(decision.step, decision.child);
      session.calls.setWaiting(call, decision);
    } else if (session.stop === null) {
      const { started, begin } = decision;
      if (!session.budget.tryStartStep(started.timeoutMs ?? 0)) session.stop = "release";
      else {
        session.calls.setBusy(call);
        session.starts.add({ call, started, begin });
      }
    }
  }

  /** While bodies run: writes new waits at once and progress soon, and sets a timer for waits that end by time. */
  #whileBodiesRun(): void {
    const { pending, calls, known, context, isStopping } = this.#session;
    if (pending.hasNewWait) return this.#end.follow(this.#commit());
    const commit = (): void => this.#end.follow(this.#commit());
    pending.others?.progress.flushSoon(context.host, commit);
    if (isStopping) return;
    const instants = calls.waits.map(({ stepKey }) => known.wakeAtOf(stepKey));
    const delayMs = known.estimateMsUntil(Math.min(...instants));
    this.#timers.startWait(delayMs, commit);
  }

  /** Commits pending changes. The commit either settles steps that write to other tables, or is followed by the start of bodies. */
  async #commit(): Promise<void> {
    if (this.#end.isOver || this.#boundary.isHeld) return;
    const session = this.#session;
    const { starts, transactions } = session;
    this.#boundary.isHeld = true;
    const { endRequested } = session.known;
    const otherTables = transactions?.begin() ?? [];
    // Writes to other tables may be refused, together with everything else in their commit.
    const startedKeys = otherTables.length > 0 ? [] : starts.record();
    const extent = { startedKeys, otherTables };
    const result = this.#end.observe(await this.#boundary.commit({ kind: "continue" }, extent));
    if (result === null) return;
    transactions?.finish(result);
    if (result.kind === "committed" && result.pauseRequested) session.stop ??= "pause";
    // The run has emitted much. It is released so that the messages can be delivered.
    if (session.pending.others?.hasEmittedMany(session.context.limits) === true)
      session.stop ??= "release";
    const isAskedToEnd = session.known.endRequested !== endRequested;
    if (session.isStopping) await this.#end.withdrawStarts();
    // The lease may have been lost while the answer was on its way, for example if the process was frozen. The next commit finds out.
    else if (this.#boundary.isLeaseOver || isAskedToEnd) starts.requeue();
    else starts.beginRecorded();
    this.#boundary.isHeld = false;
    session.committed();
  }

  /** Reads events that a wait needs and that did not come with the claim. If that fails, they are left to the next claim. */
  async #readEvents(types: readonly string[]): Promise<void> {
    this.#reads += 1;
    const { readEvents } = await eventSteps();
    const isRead = await readEvents(this.#session, types);
    this.#reads -= 1;
    if (this.#end.isOver) return;
    if (isRead) this.#session.schedule();
    else this.#end.lose();
  }
}
