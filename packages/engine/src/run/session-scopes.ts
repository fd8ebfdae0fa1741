/**
 * The scopes of a session: which are open, and those that wait for the code of scopes to be loaded. Callbacks that wait for
 * their signature stand in the same line.
 */
import { isSettled } from "../core/history/history.ts";
import { late } from "../core/late.ts";
import type { StepWrite } from "../core/model/change.ts";
import { isBelow } from "../core/step-key.ts";
import type { OpenScope } from "./open-scope.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

const scopes = late(() => import("./scopes/run-scope.ts"));

type Runs = (scope: OpenScope) => void;

/** A call that cannot go on yet. */
interface Waiting {
  readonly outcome: Outcome;
  /** null: not yet. */
  begin: () => (() => void) | null;
}

/** The code of scopes, once a run of this process has called one: runs without them do without its bytes. */
let runScope: Runs | null = null;

/** Loads the code of scopes. */
async function loadScopes(): Promise<void> {
  runScope ??= (await scopes()).runScope;
}

export class SessionScopes {
  readonly #session: Session;
  readonly #waiting: Waiting[] = [];
  readonly #open = new Map<string, OpenScope>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Branches begin once author code has gone as far as it can, whether or not their code was there already. */
  open(scope: OpenScope): void {
    this.#open.set(scope.stepKey, scope);
    this.#wait(scope.outcome, () => {
      const run = runScope;
      return run === null ? null : () => run(scope);
    });
    if (runScope !== null) return;
    void loadScopes().then(
      () => this.#session.schedule(),
      (error: unknown) => this.#fail(error),
    );
  }

  /**
   * Author code is told once what it asked for is there. Nothing else goes on before, as with scopes.
   * @param ready never rejects
   */
  prepare(outcome: Outcome, ready: Promise<() => void>): void {
    const waiting = this.#wait(outcome, () => null);
    void ready.then((tell) => {
      waiting.begin = () => tell;
      this.#session.schedule();
    });
  }

  /** One has ended. Its row rides in the boundary that is due anyway, and author code is told in its turn. */
  settle(step: StepWrite, tell: () => void): void {
    const { known, order, pending, refusals } = this.#session;
    const record = known.recordOf(step.stepKey);
    const isRecorded = record !== null && isSettled(record);
    const { settledOrder, updatedAt } = isRecorded ? record : order.allocate();
    if (!isRecorded) {
      pending.addSettled({ ...step, settledOrder, updatedAt });
      // Its steps are what brings a run on: one without any may be all that a loop has.
      refusals.noteIdle();
    }
    order.add({ settledOrder, updatedAt }, tell);
    this.#session.authorActed();
  }

  /** Takes out what is to begin next; null: nothing can. */
  next(): (() => void) | null {
    const begin = this.#waiting[0]?.begin() ?? null;
    if (begin !== null) this.#waiting.shift();
    return begin;
  }

  /** Some are to begin. Nothing else goes on before: what is told first would depend on whether the code was there. */
  get isOpening(): boolean {
    return this.#waiting.length > 0;
  }

  has(stepKey: string): boolean {
    return this.#open.has(stepKey);
  }

  close(stepKey: string): void {
    this.#open.delete(stepKey);
  }

  /** Open scopes at a place and inside it. */
  below(path: string): readonly OpenScope[] {
    return [...this.#open.values()].filter(({ stepKey }) => isBelow(stepKey, path));
  }

  #wait(outcome: Outcome, begin: Waiting["begin"]): Waiting {
    const waiting = { outcome, begin };
    this.#waiting.push(waiting);
    this.#session.authorActed();
    return waiting;
  }

  /** Author code is told, as of anything else that its scope does not run for. */
  #fail(error: unknown): void {
    for (const { outcome } of this.#waiting.splice(0)) outcome.reject(error);
    this.#session.authorActed();
  }
}
