/** Instants that work reaches, and promises for them. */

/** Keys are free text; the first time counts, because a replayed body passes the same place again. */
export class Milestones {
  readonly #reachedAtMs = new Map<string, number>();
  readonly #waiting = new Map<string, (atMs: number) => void>();

  reach(key: string): void {
    if (this.#reachedAtMs.has(key)) return;
    const atMs = performance.now();
    this.#reachedAtMs.set(key, atMs);
    this.#waiting.get(key)?.(atMs);
    this.#waiting.delete(key);
  }

  /** The instant by `performance.now()`, once it is reached. One waiter per key. */
  reached(key: string): Promise<number> {
    const atMs = this.#reachedAtMs.get(key);
    if (atMs !== undefined) return Promise.resolve(atMs);
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  /** Forgets everything, so that a long run does not grow. Nothing may be waiting. */
  clear(): void {
    this.#reachedAtMs.clear();
    this.#waiting.clear();
  }
}
