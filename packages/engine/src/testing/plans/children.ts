/** Children, for the checks of plans. */
import type { Store } from "../../ports/store.ts";
import { newId } from "../store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs, parkIn } from "../store-contract/scene.ts";
import { CLAIM, newInstance } from "./instances.ts";

/** Creates, leaves and ends one child, and several. */
export async function raiseChildren(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  for (const count of [1, 3]) {
    await store.create([newInstance(workflowName)]);
    const [parent] = (await verbs.claim(CLAIM)).runs;
    if (parent === undefined) throw new TypeError("the parent was not claimed");
    const keys = Array.from({ length: count }, (_, index) => `c${index}`);
    const children = keys.map((stepKey) => ({
      ...newInstance(workflowName),
      kind: "childCreated" as const,
      stepKey,
      onParentEnd: "terminate" as const,
      refusal: { rowId: newId(), payload: `{}` },
    }));
    await verbs.commit(parent, { changes: children });
    const { runs } = await verbs.claim(CLAIM);
    await verbs.commit(parent, {
      changes: keys.map((stepKey) => ({ kind: "childReleased", stepKey })),
      outcome: parkIn(60_000),
    });
    await store.commit(
      runs.map((run) => {
        const event = { rowId: newId(), payload: `{}` };
        const told =
          run.parent === null ? [] : [{ kind: "parentTold" as const, parent: run.parent, event }];
        return commitOf(run, { outcome: COMPLETE, changes: told });
      }),
    );
    await verbs.control(parent.run.instanceId, "terminate");
  }
}
