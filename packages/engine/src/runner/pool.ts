/** The slots of one process: how many runs it advances at once, and which. */
import type { ClaimedRun, ClaimResult, ClaimTicket } from "../ports/store.ts";
import type { Budget } from "./budget.ts";
import type { RunnerContext } from "./context.ts";
import { startSession } from "./run-workflow.ts";
import type { Session, SessionEnd } from "./session.ts";
import { createSignal, type Signal } from "./signal.ts";

/** A claim and the sessions that it started. */
export interface Claimed extends ClaimResult {
  readonly sessions: readonly Session[];
}

export class RunPool {
  /** Told when a slot becomes free. */
  readonly freed: Signal<void> = createSignal();
  /** Told of each session's end. */
  readonly ended: Signal<SessionEnd> = createSignal();
  readonly #context: RunnerContext;
  readonly #concurrency: number;
  readonly #sessions = new Set<Session>();
  /** Runs whose last commit is not under way: only those take a slot. */
  #advancing = 0;
  #reserved = 0;

  constructor(context: RunnerContext, concurrency: number) {
    this.#context = context;
    this.#concurrency = concurrency;
  }

  get room(): number {
    return this.#concurrency - this.#advancing - this.#reserved;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  /** A slot for a run that a call may claim; null when there is none. Follow with `startReserved` or `giveBack`. */
  reserve(): ClaimTicket | null {
    if (this.room <= 0) return null;
    this.#reserved += 1;
    return this.#ticket(Infinity);
  }

  giveBack(): void {
    this.#reserved -= 1;
  }

  startReserved(
    run: ClaimedRun,
    options: { readonly now: number; readonly budget: Budget },
  ): Session {
    this.#reserved -= 1;
    return this.#start(run, options);
  }

  /** Claims up to `limit` due runs, as far as there is room, and starts them. One trip. */
  async claim(limit: number, budget: Budget): Promise<Claimed> {
    const slots = Math.max(0, Math.min(limit, this.room));
    this.#reserved += slots;
    try {
      const workflowNames = [...this.#context.registry.keys()];
      const ticket = this.#ticket(budget.remainingMs());
      const result = await this.#context.store.claim({ ...ticket, limit: slots, workflowNames });
      const sessions = result.runs.map((run) => this.#start(run, { now: result.now, budget }));
      return { ...result, sessions };
    } finally {
      this.#reserved -= slots;
    }
  }

  #start(run: ClaimedRun, options: { readonly now: number; readonly budget: Budget }): Session {
    const session = startSession(this.#context, run, options);
    this.#sessions.add(session);
    this.#advancing += 1;
    void session.leaving.then(() => {
      this.#advancing -= 1;
      this.freed.emit();
    });
    void session.ended.then((end) => {
      this.#sessions.delete(session);
      this.#context.logger.log("debug", "run.ended", { ...run.run, end: end.kind });
      this.ended.emit(end);
    });
    return session;
  }

  /** A lease never outlives its invocation by more than a few seconds (schedulers.md, rule R6). */
  #ticket(remainingMs: number): ClaimTicket {
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
