/** A run that was asked from outside to end. */

export class AskedEnd {
  /** What the run has done is being undone, whoever asked for it. */
  isUndoing = false;
  /** Leaves author code: nobody waits any more for what it comes to. */
  leave: (error: unknown) => void = () => {};

  /** What author code comes to; rejects when it is left. */
  unlessLeft(running: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.leave = reject;
      Promise.resolve(running).then(resolve, reject);
    });
  }
}
