/** The state of a run that was asked from outside to end. */

export class AskedEnd {
  /** What the run has done is being undone, whoever asked for it. */
  isUndoing = false;
  /** Abandons author code: nobody waits for its outcome any more. */
  leave: (error: unknown) => void = () => {};

  /** Waits for author code; rejects when it is abandoned. */
  unlessLeft(running: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.leave = reject;
      Promise.resolve(running).then(resolve, reject);
    });
  }
}
