import { createDurableHooksProcessor } from "@escapement/fragno";

type Fragments = Parameters<typeof createDurableHooksProcessor>[0];

/** For a cron or a function that is called now and again: does what is due, and says when to call again. */
export async function onTick(fragments: Fragments) {
  // It waits for the hooks that it began: no longer than this, beyond the budget.
  const processor = createDurableHooksProcessor(fragments, { hookTimeoutMs: 5000 });
  const { moreDue, nextWakeInMs } = await processor.process({ timeBudgetMs: 20_000 });
  return { callAgainInMs: moreDue ? 0 : nextWakeInMs };
}
