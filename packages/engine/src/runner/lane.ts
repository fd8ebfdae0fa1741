/**
 * Shared trips: requests of different instances that fall together ride in one call to the store.
 *
 * A lane never waits to fill a batch. A request made while a lane is free leaves at the end of the current microtask
 * turn; requests made while all lanes are busy leave together as soon as one comes back.
 */

interface Pending<TRequest, TResult> {
  readonly request: TRequest;
  readonly resolve: (result: TResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface LaneOptions {
  /** Calls in flight at once. @minimum 1 */
  readonly maxInFlight: number;
  /** Requests in one call. @minimum 1 */
  readonly maxBatch: number;
}

/**
 * Creates a function that joins its calls into batches.
 *
 * @param send one round trip; results in request order. A rejection fails every request of the batch
 */
export function createLane<TRequest, TResult>(
  send: (requests: readonly TRequest[]) => Promise<readonly TResult[]>,
  options: LaneOptions,
): (request: TRequest) => Promise<TResult> {
  let queue: Pending<TRequest, TResult>[] = [];
  let inFlight = 0;
  let isFlushScheduled = false;

  const flush = (): void => {
    isFlushScheduled = false;
    while (queue.length > 0 && inFlight < options.maxInFlight) {
      const batch = queue.slice(0, options.maxBatch);
      queue = queue.slice(options.maxBatch);
      inFlight += 1;
      void deliver(batch, send).then(() => {
        inFlight -= 1;
        schedule();
      });
    }
  };
  const schedule = (): void => {
    if (isFlushScheduled || queue.length === 0) return;
    isFlushScheduled = true;
    queueMicrotask(flush);
  };
  return (request) =>
    new Promise((resolve, reject) => {
      queue.push({ request, resolve, reject });
      schedule();
    });
}

async function deliver<TRequest, TResult>(
  batch: readonly Pending<TRequest, TResult>[],
  send: (requests: readonly TRequest[]) => Promise<readonly TResult[]>,
): Promise<void> {
  try {
    const results = await send(batch.map((pending) => pending.request));
    for (const [index, pending] of batch.entries()) pending.resolve(results[index] as TResult);
  } catch (error) {
    for (const pending of batch) pending.reject(error);
  }
}
