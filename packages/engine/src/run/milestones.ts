/** Promises for the points of a session that other parts wait for. */
import type { SessionEnd } from "./session-end.ts";

export class Milestones {
  /** A step was settled and committed, or the session has ended. */
  readonly progressed: Promise<void>;
  /** Author code no longer runs; only the last commit is left. */
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

  /** Reaches the last milestone, and thereby all others. */
  end(end: SessionEnd): void {
    this.#progress();
    this.#leave();
    this.#end(end);
  }
}
