/** The verbs of retention, in every form that has its own statements. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { Store } from "../../ports/store.ts";
import { countBelow, selectChildren, selectLiveBelow } from "../../stores/sql/statements/below.ts";
import { DEMANDED, ENDED, EXPIRED, findExpired } from "../../stores/sql/statements/retain.ts";

/** Purges the instances that were created here. The walk's bound limits how many are looked at, not the plan. */
export async function purge(store: Store, instance: InstanceRef, createdAt: number): Promise<void> {
  const { workflowName } = instance;
  const walk = { workflowName, status: "complete", keepMs: 0 } as const;
  const after = { at: createdAt - 1, id: "" };
  await store.findExpired([{ ...walk, after }]);
  const { now } = await store.findExpired([{ ...walk, keepMs: 3_000_000_000_000, after: null }]);
  const rules = [{ workflowName, status: walk.status, before: now }];
  for (const each of [rules, null]) await store.emptyExpired({ instance, rules: each });
  const unmet = { rules: null, demand: { ifRunNumber: 7, ifStatus: ["errored"] } } as const;
  await store.emptyExpired({ instance, ...unmet });
  await store.deleteExpired({ instances: [instance], ...unmet });
  for (const each of [rules, null])
    await store.deleteExpired({ instances: [instance], rules: each });
}

/** The texts of its statements. */
export const RETAIN_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  findExpired,
  ...[EXPIRED, ENDED, DEMANDED]
    .flatMap(({ going, emptying }) => [going, emptying])
    .flatMap((texts) => Object.values(texts)),
  selectLiveBelow,
  countBelow,
  selectChildren,
];
