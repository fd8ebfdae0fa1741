/** What an invocation still has in hand: for platforms that freeze or stop a process as soon as it has answered. */

export interface Deferrals {
  /** `Platform.defer`: keeps `work` in hand until it has settled. What it rejects with is not thrown. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Resolves when nothing is in hand, counting what is deferred meanwhile: await it before the invocation ends. */
  readonly settled: () => Promise<void>;
}

/** One for each process is enough: an invocation then waits for its neighbours' work too. */
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
