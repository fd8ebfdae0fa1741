/** The open scopes of a session, and the queue of calls that need code or an answer before they can continue. */

/** Kinds of scopes. `try` has no row: the rows of its steps have its outcome. */
export type ScopeKind = "join" | "race" | "map" | "loop" | "try";

/** A scope that was called and has no outcome yet. */
export interface CalledScope {
  readonly kind: ScopeKind;
  readonly stepKey: string;
}

/** How the session is told to look at its state again; see `RunSession`. */
interface Waker {
  authorActed(): void;
  schedule(): void;
}

/** A call that cannot continue yet. */
interface Waiting {
  /** null: not yet. */
  begin: (() => void) | null;
}

export class SessionScopes {
  /** By step key. */
  readonly open: Map<string, CalledScope> = new Map();
  readonly #session: Waker;
  readonly #waiting: Waiting[] = [];

  constructor(session: Waker) {
    this.#session = session;
  }

  /**
   * Continues a call when what it needs is there and author code has gone as far as it can. It waits for author code even if
   * everything was there from the start.
   *
   * @param ready never rejects
   */
  prepare(ready: Promise<() => void>): void {
    const waiting: Waiting = { begin: null };
    this.#waiting.push(waiting);
    this.#session.authorActed();
    void ready.then((begin) => {
      waiting.begin = begin;
      this.#session.schedule();
    });
  }

  /** Takes the next call that can begin; null: none can. */
  next(): (() => void) | null {
    const begin = this.#waiting[0]?.begin ?? null;
    if (begin !== null) this.#waiting.shift();
    return begin;
  }

  /** There are calls to begin. Nothing else continues before them, or the order would depend on whether code was loaded already. */
  get isOpening(): boolean {
    return this.#waiting.length > 0;
  }
}
