/** What belongs to one invocation: a process may be in many at once (Lambda Managed Instances), and work outlives some. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Platform } from "@escapement/engine";
import { createDeferrals, type Deferrals } from "@escapement/engine/drive";

/** What of Lambda's context matters here. */
export type LambdaContext = { getRemainingTimeInMillis(): number };

/** The parts of a platform that differ from one invocation to the next. */
export type OwnParts = Pick<Platform, "deadline" | "defer">;

export interface Invocations {
  /** Those of the invocation that the caller is in. */
  readonly parts: OwnParts;
  /** Runs `work` as an invocation; settles as it does, once all that was deferred in it has settled. */
  run<T>(context: LambdaContext, work: (own: OwnParts) => Promise<T>): Promise<T>;
}

interface Invocation extends OwnParts {
  readonly settled: Deferrals["settled"];
  isOver: boolean;
}

/** One for each process. @param now process clock */
export function createInvocations(now: () => number): Invocations {
  const current = new AsyncLocalStorage<Invocation>();
  // Deferred outside of any invocation, or after the end of its own: whichever comes by waits for it.
  const strays = createDeferrals();
  return {
    parts: {
      deadline: () => current.getStore()?.deadline() ?? null,
      defer: (work) => {
        const invocation = current.getStore();
        (invocation?.isOver === false ? invocation : strays).defer(work);
      },
    },
    run: (context, work) => {
      const invocation = open(now() + context.getRemainingTimeInMillis());
      return current.run(invocation, async () => {
        try {
          return await work(invocation);
        } finally {
          await invocation.settled();
          invocation.isOver = true;
          await strays.settled();
        }
      });
    },
  };
}

function open(endsAt: number): Invocation {
  return { ...createDeferrals(), deadline: () => endsAt, isOver: false };
}
