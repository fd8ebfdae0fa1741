/** Hooks for runs that become due by time: filed in the commit that sets the time, and due then. */
import type { Statement } from "@escapement/db/client";
import { type Change, type Commit, unlessNever, type When } from "@escapement/engine/internal";
import { collectMutations } from "../adapter/collect-mutations.ts";
import { dbNow } from "../adapter/db-now.ts";
import type { FragnoAdapter } from "../adapter/adapter.ts";
import { workflowsSchema } from "../schema/workflows-schema.ts";
import type { WorkflowEnqueued } from "./config.ts";

/**
 * For the SQL store's option `alongside`. A parked run files a hook for its due time: `retry` if it waits for its next attempt,
 * `wake` if it waits for the end of a sleep or a wait. If an event wakes the run earlier, the hook still runs, and its tick finds
 * nothing: a hook is a hint.
 */
export const fileTimedHooks =
  (adapter: FragnoAdapter) =>
  (commits: readonly Commit[]): readonly Statement[] => {
    const hooks = commits.flatMap(toHooks);
    if (hooks.length === 0) return [];
    return collectMutations(adapter, ({ forSchema }) => {
      const uow = forSchema(workflowsSchema);
      for (const { enqueued, nextRetryAt } of hooks) {
        // The due time is an option of our own adapter, which the library's types do not know.
        uow.triggerHook("onWorkflowEnqueued" as never, enqueued as never, { nextRetryAt } as never);
      }
    }).statements;
  };

interface TimedHook {
  readonly enqueued: WorkflowEnqueued;
  readonly nextRetryAt: Date;
}

/** One hook for an instant and one for a delay, because only the database can tell which is earlier. */
function toHooks({ outcome, changes, run }: Commit): readonly TimedHook[] {
  const ofChildren = changes.flatMap(toDeadlineHook);
  if (outcome.kind === "retryRun") return [...ofChildren, toRetryHook(outcome.due, run)];
  return outcome.kind === "park" ? [...ofChildren, ...toParkHooks(outcome, run)] : ofChildren;
}

const toRetryHook = (due: When, { workflowName, instanceId }: Commit["run"]): TimedHook => ({
  enqueued: { workflowName, instanceId, reason: "retry" },
  nextRetryAt: toDate(due),
});

const toDate = (when: When): Date => ("at" in when ? new Date(when.at) : dbNow(when.inMs));

/** Whatever a child is waiting for by then, nothing else files a hook for its deadline. */
function toDeadlineHook(change: Change): readonly TimedHook[] {
  if (change.kind !== "childCreated" || !change.deadline) return [];
  const { workflowName, instanceId, deadline } = change;
  const nextRetryAt = toDate(deadline);
  return [{ enqueued: { workflowName, instanceId, reason: "wake" }, nextRetryAt }];
}

function toParkHooks(
  outcome: Extract<Commit["outcome"], { readonly kind: "park" }>,
  { workflowName, instanceId }: Commit["run"],
): readonly TimedHook[] {
  const enqueued: WorkflowEnqueued = { workflowName, instanceId, reason: outcome.taskKind };
  const at = unlessNever(outcome.at);
  return [
    ...(at === null ? [] : [{ enqueued, nextRetryAt: new Date(at) }]),
    ...(outcome.inMs === null ? [] : [{ enqueued, nextRetryAt: dbNow(outcome.inMs) }]),
  ];
}
