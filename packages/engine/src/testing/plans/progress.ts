/** Progress, for the checks of plans. */
import type { Change } from "../../core/model/change.ts";
import type { Store } from "../../ports/store.ts";
import { newId } from "../store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs } from "../store-contract/scene.ts";
import { CLAIM, newInstance } from "./instances.ts";

/** One run and several that add one entry and several, some of which are removed again; and readers. */
export async function useProgress(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const made = (): Change => ({
    kind: "progressMade",
    stepKey: "p",
    attempt: null,
    rowId: newId(),
    value: "1",
    retention: { maxEntries: 2, maxBytes: 1_000_000 },
  });
  for (const count of [1, 3]) {
    await store.create(Array.from({ length: count }, () => newInstance(workflowName)));
    const { runs } = await verbs.claim(CLAIM);
    await store.commit(runs.map((run) => commitOf(run, { changes: [made()] })));
    const changes = (): readonly Change[] => [made(), made(), made()];
    await store.commit(runs.map((run) => commitOf(run, { changes: changes(), outcome: COMPLETE })));
    for (const { run } of runs) await store.readProgress({ ...run, after: 1, limit: 2 });
  }
}
