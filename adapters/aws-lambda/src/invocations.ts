/** The state of one invocation. A process may be in many at once (Lambda Managed Instances), and work can outlive its invocation. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Platform } from "@escapement/engine";
import { createDeferrals, type Deferrals } from "@escapement/engine/adapter";

/** The part of Lambda's context that is used. */
export type LambdaContext = { getRemainingTimeInMillis(): number };

/** What differs between invocations, for the invocation that the caller is in. */
export interface Invocations extends Pick<Platform, "deadline" | "defer"> {
  /** Runs `work` as an invocation; settles as it does, once all that was deferred in it has settled. */
  within<T>(context: LambdaContext, work: () => Promise<T>): Promise<T>;
}

interface Invocation extends Deferrals {
  readonly endsAt: number;
  isOver: boolean;
}

/** Create one per process. @param now process clock */
export function createInvocations(now: () => number): Invocations {
  const current = new AsyncLocalStorage<Invocation>();
  // Deferred outside of an invocation, or after its end. The next invocation waits for it.
  const strays = createDeferrals();
  return {
    deadline: () => current.getStore()?.endsAt ?? null,
    defer: (work) => {
      const own = current.getStore();
      (own?.isOver === false ? own : strays).defer(work);
    },
    within: (context, work) => {
      const endsAt = now() + context.getRemainingTimeInMillis();
      const own: Invocation = { ...createDeferrals(), endsAt, isOver: false };
      return current.run(own, async () => {
        try {
          return await work();
        } finally {
          await own.settled();
          own.isOver = true;
          await strays.settled();
        }
      });
    },
  };
}
