/**
 * The replay of a run whose last runners died without a commit.
 *
 * What they had started, only their claims tell: each of them may have started every body that replay reaches without a
 * new result. So replay comes first, in two phases, and what is new waits: in `history` nothing but settled steps, then
 * in `waits` also the waits that have come true. Bodies start, and steps that have no attempt left settle, when it is
 * over: a body that ended sooner would hide which of the others were in flight.
 */
export class Takeover {
  #phase: "history" | "waits" | "over";
  #waits: (() => void)[] = [];
  #results: (() => void)[] = [];

  /** @param lostClaims without any, there is nothing to take over */
  constructor(lostClaims: number) {
    this.#phase = lostClaims > 0 ? "history" : "over";
  }

  get isOver(): boolean {
    return this.#phase === "over";
  }

  /** Only settled steps have been told so far. */
  get isInHistory(): boolean {
    return this.#phase === "history";
  }

  /** Decides about an open wait, once history is replayed. */
  decideWait(decide: () => void): void {
    if (this.isInHistory) this.#waits.push(decide);
    else decide();
  }

  /** Does what leads to a new result, once replay is over. */
  begin(begin: () => void): void {
    if (this.isOver) begin();
    else this.#results.push(begin);
  }

  /** Author code has come as far as it can: on to the next phase. */
  advance(): void {
    const putOff = this.isInHistory ? this.#waits : this.#results;
    this.#phase = this.isInHistory ? "waits" : "over";
    for (const act of putOff) act();
  }
}
