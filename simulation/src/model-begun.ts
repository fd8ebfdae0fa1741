/** Of the model: branches that begin together. */

/** What ends one at once comes after all have begun. */
export class Begun {
  #waiting: (() => void)[] | null = [];

  after(act: () => void): void {
    if (this.#waiting === null) act();
    else this.#waiting.push(act);
  }

  all(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const act of waiting) act();
  }
}
