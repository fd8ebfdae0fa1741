/** The scopes of a session that are open, and the line of calls that wait for code or an answer before they can go on. */
import type { OpenScope } from "./open-scope.ts";
import type { Session } from "./session.ts";

/** A call that cannot go on yet. */
interface Waiting {
  /** null: not yet. */
  begin: (() => void) | null;
}

export class SessionScopes {
  /** By step key. */
  readonly open: Map<string, OpenScope> = new Map();
  readonly #session: Session;
  readonly #waiting: Waiting[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Goes on with a call once what it asked for is there, and author code has gone as far as it can, also where it was there
   * already.
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

  /** Takes out what is to begin next; null: nothing can. */
  next(): (() => void) | null {
    const begin = this.#waiting[0]?.begin ?? null;
    if (begin !== null) this.#waiting.shift();
    return begin;
  }

  /** Some are to begin. Nothing else goes on before: what is told first would depend on whether the code was there. */
  get isOpening(): boolean {
    return this.#waiting.length > 0;
  }
}
