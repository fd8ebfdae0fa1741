/** The scopes of a session: which are open, and those that wait for the code of scopes to be loaded. */
import { isSettled } from "../core/history/history.ts";
import type { StepWrite } from "../core/model/change.ts";
import { isBelow } from "../core/step-key.ts";
import type { OpenScope } from "./open-scope.ts";
import type { Session } from "./session.ts";

type Runs = (scope: OpenScope) => void;

/** The code of scopes, once a run of this process has called one: runs without them do without its bytes. */
let runScope: Runs | null = null;

/** Loads the code of scopes. */
async function loadScopes(): Promise<void> {
  runScope ??= (await import("./scopes/run-scope.ts")).runScope;
}

export class SessionScopes {
  readonly #session: Session;
  #waiting: OpenScope[] = [];
  readonly #open = new Map<string, OpenScope>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Branches begin once author code has gone as far as it can, whether or not their code was there already. */
  open(scope: OpenScope): void {
    this.#open.set(scope.stepKey, scope);
    this.#waiting.push(scope);
    this.#session.authorActed();
    if (runScope !== null) return;
    void loadScopes().then(
      () => this.#session.schedule(),
      (error: unknown) => this.#fail(error),
    );
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
    const run = runScope;
    if (run === null) return null;
    const scope = this.#waiting.shift();
    return scope === undefined ? null : () => run(scope);
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

  /** Author code is told, as of anything else that its scope does not run for. */
  #fail(error: unknown): void {
    for (const { outcome } of this.#waiting.splice(0)) outcome.reject(error);
    this.#session.authorActed();
  }
}
