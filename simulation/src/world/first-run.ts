/** Runs that are claimed by the call that creates them. */
import type { ClaimedRun, NewInstance } from "./engine-types.ts";

/** Of a run that the call which created it has claimed. */
export const firstLeaseToken = (token: string): string => `${token}.1`;

/** As its claim gives it, as far as the books need. */
export const firstRunOf = (
  { workflowName, instanceId }: Pick<NewInstance, "workflowName" | "instanceId">,
  token: string,
): ClaimedRun =>
  ({
    lease: { token: firstLeaseToken(token) },
    run: { workflowName, instanceId, runNumber: 1 },
    settled: [],
    open: [],
    events: [],
    endRequested: null,
  }) as unknown as ClaimedRun;
