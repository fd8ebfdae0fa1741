/** Measures how often something happened recently, as an estimate of how often it will happen in the next moment. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** "Recent" means at least this long ago, and at most twice as long. */
const STRETCH_MS: DurationMs = 25;

export class RecentRate {
  readonly #host: Host;
  #count = 0;
  #countBefore = 0;
  /** By the process's clock. */
  #stretchEndsAt: EpochMs = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** The larger count of the current stretch and the one before it. */
  get recent(): number {
    this.#turn();
    return Math.max(this.#count, this.#countBefore);
  }

  note(): void {
    this.#turn();
    this.#count += 1;
  }

  #turn(): void {
    const now = this.#host.elapsedMs();
    if (now < this.#stretchEndsAt) return;
    this.#countBefore = now < this.#stretchEndsAt + STRETCH_MS ? this.#count : 0;
    this.#count = 0;
    this.#stretchEndsAt = now + STRETCH_MS;
  }
}
