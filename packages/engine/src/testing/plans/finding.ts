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
import { ANYTHING } from "../store-contract/builders.ts";

/** Texts of all of them. */
export const FINDING_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  findNewest,
  findByStatus,
  findChildren,
  findStuck,
  countByStatus,
  countMatching,
  countChildren,
  countStuck,
];

/** Asks in every way. @param ref of an instance @param after of its row */
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
}
