/** Runs the batches of one transaction one after another, because overlapping savepoints would undo each other's work. */

/** When the last batch of a transaction ends. A transaction may be passed more than once. */
const last = new WeakMap<object, Promise<unknown>>();

/** Runs the work after everything that was requested earlier for the same transaction. */
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
