/** Batches of one transaction one after another: savepoints that overlap would undo each other's work. */

/** When the last batch of a transaction ends. A transaction may be named more than once. */
const last = new WeakMap<object, Promise<unknown>>();

/** Runs the work after all that was asked of the same transaction before. */
export async function takeTurn<T>(transaction: object, work: () => Promise<T>): Promise<T> {
  const before = last.get(transaction);
  const turn = before === undefined ? work() : before.then(work);
  const ended = turn.catch(() => undefined);
  last.set(transaction, ended);
  try {
    return await turn;
  } finally {
    if (last.get(transaction) === ended) last.delete(transaction);
  }
}
