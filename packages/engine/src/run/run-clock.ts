/**
 * The time that author code is told: that of the newest outcome it has been told. An outcome's row keeps it, so that each replay
 * tells the same.
 */
import type { History } from "../core/history/history.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { Place } from "./place.ts";

export class RunClock {
  readonly #estimateNow: () => number;
  /** Of all outcomes that there are. */
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
   * The instant of an outcome that comes about now, or of a body's start; never before that of an earlier one, whatever the
   * database's clock does.
   */
  settle(notBefore: EpochMs = 0): EpochMs {
    const now = Math.floor(this.#estimateNow());
    this.#newestAt = Math.max(this.#newestAt, now, notBefore);
    return this.#newestAt;
  }

  /** No outcome that is to come is earlier: rows of later ones than those that are there may be gone. */
  notBefore(at: EpochMs): void {
    this.#newestAt = Math.max(this.#newestAt, at);
  }

  /** Author code is told an outcome. */
  tell(updatedAt: EpochMs): void {
    this.#toldAt = Math.max(this.#toldAt, updatedAt);
  }

  /** What author code is told at a place. */
  nowAt({ beganAt }: Pick<Place, "beganAt">): EpochMs {
    return Math.max(this.#toldAt, beganAt);
  }
}
