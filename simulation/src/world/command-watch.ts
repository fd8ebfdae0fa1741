/** What calls have come to that control instances, or restart or create them: runs that they end or begin, and children that they leave. */
import type { ControlResult, InstanceRecord, RestartOrCreateResult } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";
import type { Family } from "./family.ts";
import type { FamilyWatch } from "./family-watch.ts";
import type { StoreCall } from "./network.ts";
import type { Statuses } from "./statuses.ts";
import type { Watched } from "./watched.ts";

interface Parts extends Watched {
  readonly statuses: Statuses;
  readonly family: Family;
  readonly families: FamilyWatch;
}

export class CommandWatch {
  readonly #parts: Parts;
  /** Requests to restart or create that have come once. */
  readonly #restarts = new WeakSet();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async note(call: StoreCall, result: ControlResult): Promise<void> {
    if (result.kind !== "applied") return;
    const { command } = call.parameters[0] as { readonly command: string };
    const { instance } = result;
    if (command === "cancel" || command === "rollback")
      this.#parts.books.requests.ask(runIdOf(instance), command, this.#parts.scheduler.now);
    const isRestart = command === "restart" || command === "restartWithNewKeys";
    const ends = ["terminated", "paused"].includes(instance.status) || isRestart;
    const runNumber = isRestart ? instance.runNumber - 1 : instance.runNumber;
    if (command === "restartWithNewKeys") this.#parts.books.newKeys(runIdOf(instance));
    if (isRestart) this.#noteNewRun(instance);
    this.#parts.books.touched(runIdOf({ ...instance, runNumber }));
    const runId = runIdOf({ ...instance, runNumber });
    if (ends) this.#parts.books.released(runId, this.#parts.scheduler.now);
    await this.#parts.statuses.look(instance.workflowName, instance.instanceId);
    if (command === "terminate") this.#parts.books.terminated.set(runId, this.#parts.scheduler.now);
    if (command === "terminate" || isRestart)
      await this.#parts.families.leave(this.#parts.family.of(runId));
    if (command === "terminate") await this.#parts.families.checkTogether(instance);
  }

  /** An instance begins anew because somebody asked for it. */
  #noteNewRun({ workflowName, instanceId }: InstanceRecord): void {
    const key = `${workflowName}/${instanceId}`;
    this.#parts.books.requests.dropPassed(key, this.#parts.scheduler.now);
    this.#parts.books.retryCounts.delete(key);
  }

  /** Whoever else did so at once: one is created or restarted, if it was as demanded, and the others change nothing. */
  async noteRestart(call: StoreCall, { kind, instance }: RestartOrCreateResult): Promise<void> {
    const { ifStatus } = call.parameters[0] as { readonly ifStatus: readonly string[] | null };
    const { workflowName, instanceId, runNumber } = instance;
    const key = `${workflowName}/${instanceId}`;
    const before = this.#parts.statuses.of(key);
    const isDemanded = before !== undefined && ifStatus?.includes(before) !== false;
    const expected = before === undefined ? "created" : isDemanded ? "restarted" : "unchanged";
    // A call that came before is answered as it was.
    if (
      !call.isStray &&
      this.#parts.subject.isQuick &&
      !this.#restarts.has(call.parameters[0] as object) &&
      kind !== expected
    )
      this.#parts.books.report(
        "statuses",
        `${key} was ${before}, and restartOrCreate says ${kind}`,
      );
    this.#restarts.add(call.parameters[0] as object);
    if (kind === "restarted" && this.#parts.statuses.runOf(key) !== runNumber) {
      const runId = runIdOf({ ...instance, runNumber: runNumber - 1 });
      this.#parts.books.touched(runId);
      this.#parts.books.released(runId, this.#parts.scheduler.now);
      this.#parts.books.newKeys(runIdOf(instance));
      this.#noteNewRun(instance);
      await this.#parts.families.leave(this.#parts.family.of(runId));
    }
    await this.#parts.statuses.look(workflowName, instanceId);
  }
}
