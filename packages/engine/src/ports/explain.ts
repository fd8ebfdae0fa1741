/** Why an instance is not moving: what a store tells of it, and what an engine makes of that. */
import type { ExplainFacts } from "../core/explain/facts.ts";
import type { Explanation } from "../core/explain/explanation.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";

/** What a store can be asked. */
export interface ExplainingStore {
  /** What there is to know about where an instance stands; null: there is none. One trip, a bounded answer, no payloads. */
  loadFacts(instance: InstanceRef): Promise<ExplainFacts | null>;
}

/** Explains instances. */
export interface ExplainService {
  /**
   * Explains why an instance is not moving: the cause as data, and a sentence that says what to do next. It also works for a
   * workflow that is not registered here. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND — it is not registered, and there is no such instance; INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND
   */
  explainInstance(workflowName: string, instanceId: string): Promise<Explanation>;
}
