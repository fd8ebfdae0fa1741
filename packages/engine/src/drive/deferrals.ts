/** Work that an invocation has not finished, for platforms that freeze or stop a process as soon as it has answered. */

export interface Deferrals {
  /** `Platform.defer`: tracks `work` until it has settled. Rejections are not thrown. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Resolves when all work has settled, including what is deferred meanwhile. Await it before the invocation ends. */
  readonly settled: () => Promise<void>;
}

/** Create one per process. An invocation then also waits for the work of other invocations in the process. */
export function createDeferrals(): Deferrals {
  const inHand = new Set<Promise<unknown>>();
  return {
    defer: (work) => {
      const ended: Promise<unknown> = work
        .catch(() => undefined)
        .finally(() => inHand.delete(ended));
      inHand.add(ended);
    },
    settled: async () => {
      while (inHand.size > 0) await Promise.all(inHand);
    },
  };
}
