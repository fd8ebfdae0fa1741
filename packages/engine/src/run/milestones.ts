/** What others wait for in a session. */
import type { SessionEnd } from "./session-end.ts";

export class Milestones {
  /** A step was settled and committed, or the session has ended. */
  readonly progressed: Promise<void>;
  /** No author code runs any more: what is left is the last commit. */
  readonly leaving: Promise<void>;
  readonly ended: Promise<SessionEnd>;
  #progress!: () => void;
  #leave!: () => void;
  #end!: (end: SessionEnd) => void;

  constructor() {
    this.progressed = new Promise((resolve) => (this.#progress = resolve));
    this.leaving = new Promise((resolve) => (this.#leave = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  progress(): void {
    this.#progress();
  }

  leave(): void {
    this.#leave();
  }

  /** The last one: the others are reached by it too. */
  end(end: SessionEnd): void {
    this.#progress();
    this.#leave();
    this.#end(end);
  }
}
