/** How often something happened recent: about as often as it will in the next moment, if it goes on like that. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** How far back "recent" goes at least; twice as far at most. */
const STRETCH_MS: DurationMs = 25;

export class RecentRate {
  readonly #host: Host;
  #count = 0;
  #countBefore = 0;
  /** Process-clock instant. */
  #stretchEndsAt: EpochMs = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** The larger count of the present stretch and the one before it. */
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
