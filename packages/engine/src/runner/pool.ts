/** The slots of one process: how many runs it advances at once, and which. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { ClaimedRun, ClaimResult, ClaimTicket } from "../ports/store.ts";
import type { Budget } from "./budget.ts";
import type { RunnerContext } from "./context.ts";
import { startSession } from "./run-workflow.ts";
import type { Session, SessionEnd } from "./session.ts";
import { createSignal, type Signal } from "./signal.ts";

/** Database time of the claim, and what the run may still do. */
export interface StartOptions {
  readonly now: EpochMs;
  readonly budget: Budget;
}

export class RunPool {
  /** Told when a slot becomes free, and how long it was taken. */
  readonly freed: Signal<DurationMs> = createSignal();
  /** Told of each session's end. */
  readonly ended: Signal<SessionEnd> = createSignal();
  /** Slots kept for runs that are being claimed or wait for one; may be more than there are. */
  promised = 0;
  readonly concurrency: number;
  readonly #context: RunnerContext;
  readonly #sessions = new Set<Session>();
  /** Runs whose last commit is not under way: only those take a slot. */
  #advancing = 0;

  constructor(context: RunnerContext, concurrency: number) {
    this.#context = context;
    this.concurrency = concurrency;
  }

  /** Free slots that are not promised; below 0 when more are promised than there are. */
  get room(): number {
    return this.concurrency - this.#advancing - this.promised;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  /** Claims up to `limit` due runs, whose slots the caller has promised, and does with each what is told. One trip. */
  async claim(
    limit: number,
    budget: Budget,
    place: (run: ClaimedRun, options: StartOptions) => void,
  ): Promise<ClaimResult> {
    const workflowNames = [...this.#context.registry.keys()];
    const ticket = this.newTicket(budget.remainingMs());
    const result = await this.#context.store.claim({ ...ticket, limit, workflowNames });
    for (const run of result.runs) place(run, { now: result.now, budget });
    return result;
  }

  start(run: ClaimedRun, options: StartOptions): Session {
    const { host } = this.#context;
    const startedAt = host.now();
    const session = this.open(run, options);
    this.#advancing += 1;
    void session.leaving.then(() => {
      this.#advancing -= 1;
      this.freed.emit(host.now() - startedAt);
    });
    return session;
  }

  /** As `start`, without a slot. */
  open(run: ClaimedRun, options: StartOptions): Session {
    const session = startSession(this.#context, run, options);
    this.#sessions.add(session);
    void session.ended.then((end) => {
      this.#sessions.delete(session);
      this.#context.logger.log("debug", "run.ended", { ...run.run, end: end.kind });
      this.ended.emit(end);
    });
    return session;
  }

  /** A lease never outlives its invocation by more than a few seconds (schedulers.md, rule R6). */
  newTicket(remainingMs: number): ClaimTicket {
    const leaseMs = Math.max(1000, Math.min(this.#context.leaseMs, Math.round(remainingMs + 5000)));
    return { token: this.#context.host.newId(), leaseMs };
  }
}

/** Tells sessions to stop now and waits until each has handed its run over. */
export async function interruptSessions(sessions: Iterable<Session>): Promise<void> {
  const all = [...sessions];
  for (const session of all) session.interrupt();
  await Promise.all(all.map((session) => session.ended));
}
