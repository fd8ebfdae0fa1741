/** The store contract: one suite of promises that every store keeps. */
import { afterAll, beforeAll, describe } from "vitest";
import { describeCallbacks } from "./callbacks.ts";
import { describeClaim } from "./claim.ts";
import { describeClaimOrder } from "./claim-order.ts";
import { describeCommit } from "./commit.ts";
import { describeControl } from "./control.ts";
import { describeCreate } from "./create.ts";
import { describeDeadlines } from "./deadlines.ts";
import { describeDelayedStart } from "./delayed-start.ts";
import { describeDivergedSteps } from "./diverged-steps.ts";
import { describeDurations } from "./durations.ts";
import { describeChildren } from "./children.ts";
import { describeEndRequests } from "./end-requests.ts";
import { describeEventCaps } from "./event-caps.ts";
import { describeEventPages } from "./event-pages.ts";
import { describeEvents } from "./events.ts";
import { describeFences } from "./fences.ts";
import { describeForeignWrites } from "./other-table-writes.ts";
import { describeHistory } from "./history.ts";
import { describeLateCommits } from "./late-commits.ts";
import { describeLeases } from "./leases.ts";
import { describeListInstances } from "./list-instances.ts";
import { describeListWalks } from "./list-walks.ts";
import { describePageBytes } from "./page-bytes.ts";
import { describePark } from "./park.ts";
import { describePayloads } from "./payloads.ts";
import { describeRaces } from "./races.ts";
import { describeReceive } from "./receive.ts";
import { describeRepeats } from "./repeats.ts";
import { describeRestartOrCreate } from "./restart-or-create.ts";
import { describeRetry } from "./retry.ts";
import { describeFork } from "./fork.ts";
import { describeRewind } from "./rewind.ts";
import { createScene, type SceneSource } from "./scene.ts";
import { describeSharedCommits } from "./shared-commits.ts";
import { describeStepInstants } from "./step-instants.ts";
import { describeStepPages } from "./step-pages.ts";
import { describeSuspects } from "./suspects.ts";
import type { StoreFixture, StoreSubject } from "./subject.ts";
import { describeTaskRows } from "./task-rows.ts";
import { describeTrims } from "./trims.ts";
import { describeUpdates } from "./updates.ts";

/** Registers the whole contract for one store with vitest. */
export function describeStoreContract(subject: StoreSubject): void {
  describe(`store contract: ${subject.name}`, () => {
    let fixture: StoreFixture | null = null;
    beforeAll(async () => {
      fixture = await subject.setup();
    });
    afterAll(async () => {
      await fixture?.teardown();
    });
    const scene: SceneSource = () => {
      if (fixture === null) throw new TypeError("the store was not set up");
      return createScene(fixture);
    };
    describeCreate(scene);
    describeDelayedStart(scene);
    describeClaim(scene);
    describeClaimOrder(scene);
    describeLeases(scene, subject.capabilities);
    describeCommit(scene);
    describePark(scene);
    describeTaskRows(scene);
    describeFences(scene);
    describeLateCommits(scene);
    describeTrims(scene);
    describeSharedCommits(scene);
    describeSuspects(scene);
    describeForeignWrites(scene, subject.capabilities);
    describeControl(scene);
    describeEndRequests(scene);
    describeDeadlines(scene);
    describeUpdates(scene);
    describeChildren(scene);
    describeRetry(scene);
    describeRestartOrCreate(scene);
    describeRewind(scene);
    describeFork(scene);
    describeDivergedSteps(scene);
    describeEvents(scene);
    describeCallbacks(scene);
    describeReceive(scene);
    describeEventCaps(scene);
    describeEventPages(scene);
    describeStepPages(scene);
    describeStepInstants(scene);
    describeRepeats(scene);
    describeListInstances(scene);
    describeListWalks(scene);
    describeHistory(scene);
    describePageBytes(scene);
    describePayloads(scene);
    describeDurations(scene);
    describeRaces(scene, subject.capabilities);
  });
}
