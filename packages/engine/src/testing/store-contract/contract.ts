/** The store contract: one suite of promises for every store. */
import { afterAll, beforeAll, describe } from "vitest";
import { describeAttempts } from "./attempts.ts";
import { describeCallbacks } from "./callbacks.ts";
import { describeClaim } from "./claim.ts";
import { describeClaimOrder } from "./claim-order.ts";
import { describeCommit } from "./commit.ts";
import { describeControl } from "./control.ts";
import { describeCreate } from "./create.ts";
import { describeDelete } from "./delete.ts";
import { describeDeadlines } from "./deadlines.ts";
import { describeDelayedStart } from "./delayed-start.ts";
import { describeDivergedSteps } from "./diverged-steps.ts";
import { describeDurations } from "./durations.ts";
import { describeChildren } from "./children.ts";
import { describeLeftChildren } from "./left-children.ts";
import { describeEndRequests } from "./end-requests.ts";
import { describeEventCaps } from "./event-caps.ts";
import { describeEventPages } from "./event-pages.ts";
import { describeEvents } from "./events.ts";
import { describeClaimingEvents } from "./claiming-events.ts";
import { describeExplain } from "./explain.ts";
import { describeFindFilters } from "./find-filters.ts";
import { describeFindInstances } from "./find-instances.ts";
import { describeFences } from "./fences.ts";
import { describeForeignWrites } from "./other-table-writes.ts";
import { describeHistory } from "./history.ts";
import { describeLateCommits } from "./late-commits.ts";
import { describeLeases } from "./leases.ts";
import { describeListInstances } from "./list-instances.ts";
import { describeLateLoopCommits } from "./late-loop-commits.ts";
import { describeLateness } from "./lateness.ts";
import { describeOverview } from "./overview.ts";
import { describeCallbackPages } from "./callback-pages.ts";
import { describeMove } from "./move.ts";
import { describeListWalks } from "./list-walks.ts";
import { describePageBytes } from "./page-bytes.ts";
import { describePark } from "./park.ts";
import { describePayloads } from "./payloads.ts";
import { describeRaces } from "./races.ts";
import { describePreconditions } from "./preconditions.ts";
import { describeProgress } from "./progress.ts";
import { describeProgressRetention } from "./progress-retention.ts";
import { describeReceive } from "./receive.ts";
import { describeRepeats } from "./repeats.ts";
import { describeRestartOrCreate } from "./restart-or-create.ts";
import { describeRetain } from "./retain.ts";
import { describeRetry } from "./retry.ts";
import { describeFork } from "./fork.ts";
import { describeRetryFrom } from "./retry-from.ts";
import { describeRewind } from "./rewind.ts";
import { describeRewindDemands } from "./rewind-demands.ts";
import { describeRunRetries } from "./run-retries.ts";
import { createScene, type SceneSource } from "./scene.ts";
import { describeSharedCommits } from "./shared-commits.ts";
import { describeStepInstants } from "./step-instants.ts";
import { describeStepPages } from "./step-pages.ts";
import { describeSuspects } from "./suspects.ts";
import type { StoreCapabilities, StoreFixture, StoreSubject } from "./subject.ts";
import { describeTaskRows } from "./task-rows.ts";
import { describeTopicRetention } from "./topic-retention.ts";
import { describeTopics } from "./topics.ts";
import { describeTopicWaits } from "./topic-waits.ts";
import { describeTraceContext } from "./trace-context.ts";
import { describeTrims } from "./trims.ts";
import { describeUpdates } from "./updates.ts";

/** The tests of one subject. */
export type ContractPart = (scene: SceneSource, capabilities: StoreCapabilities) => void;

export const CONTRACT_PARTS: readonly ContractPart[] = [
  describeCreate,
  describeDelayedStart,
  describeClaim,
  describeClaimOrder,
  describeLeases,
  describeCommit,
  describePark,
  describeTaskRows,
  describeFences,
  describeLateCommits,
  describeLateLoopCommits,
  describeTrims,
  describeSharedCommits,
  describeSuspects,
  describeForeignWrites,
  describeControl,
  describePreconditions,
  describeEndRequests,
  describeDeadlines,
  describeUpdates,
  describeTraceContext,
  describeChildren,
  describeLeftChildren,
  describeDelete,
  describeRetain,
  describeMove,
  describeRetry,
  describeRunRetries,
  describeRestartOrCreate,
  describeRewind,
  describeRewindDemands,
  describeRetryFrom,
  describeFork,
  describeDivergedSteps,
  describeEvents,
  describeClaimingEvents,
  describeCallbacks,
  describeReceive,
  describeTopics,
  describeTopicWaits,
  describeTopicRetention,
  describeProgress,
  describeProgressRetention,
  describeEventCaps,
  describeEventPages,
  describeStepPages,
  describeStepInstants,
  describeAttempts,
  describeRepeats,
  describeListInstances,
  describeFindInstances,
  describeFindFilters,
  describeOverview,
  describeCallbackPages,
  describeLateness,
  describeExplain,
  describeListWalks,
  describeHistory,
  describePageBytes,
  describePayloads,
  describeDurations,
  describeRaces,
];

/** Registers the whole contract for one store with vitest. */
export function describeStoreContract(subject: StoreSubject): void {
  describeContractParts(subject, CONTRACT_PARTS);
}

/** Some of it. */
export function describeContractParts(
  { name, capabilities, setup }: StoreSubject,
  parts: readonly ContractPart[],
): void {
  describe(`store contract: ${name}`, () => {
    let fixture: StoreFixture | null = null;
    beforeAll(async () => {
      fixture = await setup();
    });
    afterAll(async () => {
      await fixture?.teardown();
    });
    const scene: SceneSource = () => {
      if (fixture === null) throw new TypeError("the store was not set up");
      return createScene(fixture);
    };
    for (const describePart of parts) describePart(scene, capabilities);
  });
}
