/** The verbs of retention, in every form that has statements of its own. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { Store } from "../../ports/store.ts";
import {
  emptyEvents,
  emptyProgress,
  emptySteps,
  emptyTopicWaits,
  EXPIRED_DELETES,
  findExpired,
  leaveRun,
  lockEmptied,
  lockExpired,
} from "../../stores/sql/statements/retain.ts";

/** Of what was made here: that few are looked at is for the walk's bound to see to, not for a plan. */
export async function purge(store: Store, instance: InstanceRef, createdAt: number): Promise<void> {
  const { workflowName } = instance;
  const walk = { workflowName, status: "complete", keepMs: 0 } as const;
  const after = { at: createdAt - 1, id: "" };
  await store.findExpired([{ ...walk, after }]);
  const { now } = await store.findExpired([{ ...walk, keepMs: 3_000_000_000_000, after: null }]);
  const rules = [{ workflowName, status: walk.status, before: now }];
  await store.emptyExpired({ instance, rules });
  await store.deleteExpired({ instances: [instance], rules });
}

/** Texts of its statements. */
export const RETAIN_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  findExpired,
  lockExpired,
  ...Object.values(EXPIRED_DELETES),
  lockEmptied,
  leaveRun,
  emptyTopicWaits,
  emptySteps,
  emptyEvents,
  emptyProgress,
];
