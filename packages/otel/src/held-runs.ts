/** Runs by workflow and instance, without building a key, because each run is looked up several times. */
import type { HeldRun } from "./held-run.ts";

export class HeldRuns {
  /** By the names of registered workflows, which are few, then by instance. */
  readonly #byWorkflow = new Map<unknown, Map<unknown, HeldRun>>();

  /** After a lost lease, the same run may be held twice for a while; the latest one counts. */
  add(held: HeldRun): void {
    const { workflowName, instanceId } = held.run;
    const ofWorkflow = this.#byWorkflow.get(workflowName);
    if (ofWorkflow === undefined) this.#byWorkflow.set(workflowName, new Map([[instanceId, held]]));
    else ofWorkflow.set(instanceId, held);
  }

  find(workflowName: unknown, instanceId: unknown): HeldRun | undefined {
    return this.#byWorkflow.get(workflowName)?.get(instanceId);
  }

  remove(held: HeldRun): void {
    const ofWorkflow = this.#byWorkflow.get(held.run.workflowName);
    if (ofWorkflow?.get(held.run.instanceId) === held) ofWorkflow.delete(held.run.instanceId);
  }
}
