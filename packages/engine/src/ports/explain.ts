/** Why an instance is not moving: the facts that a store reads, and the explanation that an engine makes of them. */
import type { ExplainFacts } from "../core/explain/facts.ts";
import type { Explanation } from "../core/explain/explanation.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";

/** Reads the facts. */
export interface ExplainingStore {
  /** Reads the facts that explain an instance; null: there is no such instance. One trip, a bounded answer, no payloads. */
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
