/** The present run of an instance as a store has it. */
import { NEVER_AT } from "../../core/decide/park.ts";
import type { InstanceRecord, StepRecord } from "../../core/model/records.ts";
import type { Store } from "../../ports/store.ts";

/** What is replayed. */
export interface StoredRun {
  readonly instance: InstanceRecord;
  readonly steps: readonly StepRecord[];
}

const PAGE_SIZE = 100;
/** Steps have what events gave them: no event is read. */
const BEHIND_EVENTS = { at: NEVER_AT, id: "" };

/** Reads it, page by page. null: there is no such instance any more. @throws STORE_UNAVAILABLE */
export async function readRun(
  store: Store,
  workflowName: string,
  instanceId: string,
): Promise<StoredRun | null> {
  const instance = await store.loadInstance(workflowName, instanceId);
  if (instance === null) return null;
  const { runNumber } = instance;
  const steps: StepRecord[] = [];
  let stepsAfter: Parameters<Store["loadHistory"]>[0]["stepsAfter"] = null;
  do {
    const page = await store.loadHistory({
      workflowName,
      instanceId,
      runNumber,
      pageSize: PAGE_SIZE,
      stepsAfter,
      eventsAfter: BEHIND_EVENTS,
    });
    steps.push(...page.steps.items);
    stepsAfter = page.steps.next;
  } while (stepsAfter !== null);
  return { instance, steps };
}
