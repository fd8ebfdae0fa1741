/** Lists and counts over workflows, for the plans of their statements. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { PagePosition } from "../../ports/pages.ts";
import type { Store } from "../../ports/store.ts";
import {
  countByStatus,
  countChildren,
  countMatching,
  countStuck,
} from "../../stores/sql/statements/count-instances.ts";
import {
  findByStatus,
  findChildren,
  findNewest,
  findStuck,
} from "../../stores/sql/statements/find-instances.ts";
import { countDue, measureActivity } from "../../stores/sql/statements/activity.ts";
import { listLeases } from "../../stores/sql/statements/leases.ts";
import { listCallbacks } from "../../stores/sql/statements/open-callbacks.ts";
import { ANYTHING } from "../store-contract/builders.ts";

/** The texts of all of them. */
export const FINDING_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  findNewest,
  findByStatus,
  findChildren,
  findStuck,
  countByStatus,
  countMatching,
  countChildren,
  countStuck,
  measureActivity,
  countDue,
  listLeases,
  listCallbacks,
];

/** Uses every filter. @param ref of an instance @param after the position of its row */
export async function findAndCount(
  store: Store,
  ref: InstanceRef,
  after: PagePosition,
): Promise<void> {
  const workflowNames = [ref.workflowName, "Nobody"];
  const found = { ...ANYTHING, pageSize: 10, workflowNames };
  for (const statuses of [null, ["complete", "waiting"] as const])
    for (const position of [null, after])
      await store.findInstances({ ...found, statuses, after: position });
  await store.findInstances({ ...found, after, parent: ref });
  await store.findInstances({ ...found, after, isStuck: true });
  const counted = { workflowNames, statuses: ["complete", "waiting"], cap: 10 } as const;
  await store.countInstances(counted);
  await store.countInstances({ ...counted, statuses: ["paused"], tag: "t" });
  await store.countInstances({ ...counted, isStuck: true });
  await store.countInstances({ ...counted, parent: ref });
  await lookAtAll(store, workflowNames, after);
}

/** @param after the position of an instance's row */
async function lookAtAll(
  store: Store,
  workflowNames: readonly string[],
  after: PagePosition,
): Promise<void> {
  const buckets = { bucketMs: 60_000, bucketCount: 10 };
  await store.measureActivity({
    workflowNames,
    ...buckets,
    walked: 80,
    looked: 50,
    sampled: 20,
    counted: 50,
  });
  await store.listLeases({ workflowNames, limit: 10 });
  const asked = {
    workflowNames,
    statuses: ["waiting", "running"],
    pageSize: 10,
    looked: 20,
  } as const;
  for (const position of [null, { ...after, stepId: "" }])
    await store.listCallbacks({ ...asked, after: position });
}
