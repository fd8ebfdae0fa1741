/**
 * The time that author code sees: that of the newest outcome that it has been told. It is stored in the outcome's row, so every
 * replay gives the same.
 */
import type { History } from "../core/history/history.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { Place } from "./place.ts";

export class RunClock {
  readonly #estimateNow: () => number;
  /** The time of the newest outcome that exists. */
  #newestAt: EpochMs;
  #toldAt: EpochMs;

  constructor(
    { startedAt }: Pick<ClaimedRun, "startedAt">,
    { newestAt }: Pick<History, "newestAt">,
    estimateNow: () => number,
  ) {
    this.#estimateNow = estimateNow;
    this.#toldAt = startedAt;
    this.#newestAt = Math.max(startedAt, newestAt);
  }

  /**
   * The time of an outcome that comes about now, or of a body's start. It is never before that of an earlier outcome, whatever
   * the database's clock does.
   */
  settle(notBefore: EpochMs = 0): EpochMs {
    const now = Math.floor(this.#estimateNow());
    this.#newestAt = Math.max(this.#newestAt, now, notBefore);
    return this.#newestAt;
  }

  /** No future outcome is earlier than this. Needed because rows of later outcomes may have been removed. */
  notBefore(at: EpochMs): void {
    this.#newestAt = Math.max(this.#newestAt, at);
  }

  /** Author code is told an outcome. */
  tell(updatedAt: EpochMs): void {
    this.#toldAt = Math.max(this.#toldAt, updatedAt);
  }

  /** The time that author code sees at a place. */
  nowAt({ beganAt }: Pick<Place, "beganAt">): EpochMs {
    return Math.max(this.#toldAt, beganAt);
  }
}
