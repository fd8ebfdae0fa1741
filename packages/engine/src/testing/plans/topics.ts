/** Topics, for the checks of plans. */
import type { Change } from "../../core/model/change.ts";
import type { Store } from "../../ports/store.ts";
import { newId, step } from "../store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs } from "../store-contract/scene.ts";
import { CLAIM, newInstance } from "./instances.ts";

/** One wait for a topic and several, and messages from a caller and from a run, to waits that look back and ahead. */
export async function useTopics(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const topic = `plan-${newId()}`;
  const retention = { maxCount: 10, maxBytes: 1_000_000, maxAgeMs: 60_000 };
  const emit = async (): Promise<void> => {
    const ids = { topicRowId: newId(), messageRowId: newId(), messageId: newId() };
    const sent = { topic, message: `{"payload":1}`, retention, isDelivering: false };
    const { due, sequence: upTo } = await store.emit({ ...sent, ...ids });
    await store.deliver({ topic, waitIds: due.map(({ id }) => id), upTo });
  };
  for (const count of [1, 3]) {
    await store.create(Array.from({ length: count }, () => newInstance(workflowName)));
    const { runs } = await verbs.claim(CLAIM);
    const wait = {
      type: "waitForTopic",
      status: "waiting",
      waitEventType: `topic ${topic}`,
    } as const;
    for (const result of ["4102444800000", "0", null]) {
      const open = runs.map(() => step(`w${String(result)}`, { ...wait, result, id: newId() }));
      const changes = (index: number): readonly Change[] => open.slice(index, index + 1);
      await store.commit(runs.map((run, index) => commitOf(run, { changes: changes(index) })));
      await store.listWaiters({ topic, limit: 10 });
      await emit();
      const ended = { status: "cancelled", settledOrder: 1 } as const;
      await store.commit(
        runs.map((run, index) =>
          commitOf(run, {
            changes: changes(index).flatMap((change) =>
              change.kind === "step"
                ? [{ ...change, version: 1, step: { ...change.step, ...ended } }]
                : [],
            ),
          }),
        ),
      );
    }
    const emitted = (): Change => ({
      kind: "messageEmitted",
      stepKey: "e",
      rowId: newId(),
      topicRowId: newId(),
      topic,
      messageId: null,
      message: "{}",
      retention,
    });
    await store.commit(
      runs.map((run) => commitOf(run, { changes: [emitted()], outcome: COMPLETE })),
    );
  }
}
