/** Children to create, and children that nobody waits for any more, until a commit has recorded them. */
import { isSettled } from "../core/history/history.ts";
import type { Change, ChildCreated, StepWrite } from "../core/model/change.ts";

export class PendingChildren {
  readonly #created = new Map<string, ChildCreated>();
  readonly #released = new Set<string>();

  /** Notes the next state of an `invoke` step. @param child that it starts */
  note(step: StepWrite, child: ChildCreated | undefined): void {
    if (child !== undefined) this.#created.set(step.stepKey, child);
    else if (isLeft(step) && !this.#created.delete(step.stepKey)) this.#released.add(step.stepKey);
  }

  /** Takes what the next commit carries. */
  take(): readonly Change[] {
    if (this.#created.size + this.#released.size === 0) return [];
    const released = [...this.#released].map(
      (stepKey) => ({ kind: "childReleased", stepKey }) as const,
    );
    const changes = [...this.#created.values(), ...released];
    this.#created.clear();
    this.#released.clear();
    return changes;
  }

  /** Takes back the children of a commit that was refused. */
  restore(changes: readonly Change[]): void {
    for (const change of changes)
      if (change.kind === "childReleased") this.#released.add(change.stepKey);
      else if (change.kind === "childCreated") this.#created.set(change.stepKey, change);
  }
}

/** Whether the step was closed before its child had ended or failed to start. */
const isLeft = (step: StepWrite): boolean =>
  isSettled(step) && step.status !== "completed" && !HAS_ENDED.has(step.error?.code ?? null);

const HAS_ENDED: ReadonlySet<string | null> = new Set([
  "CHILD_FAILED",
  "CHILD_TERMINATED",
  "INSTANCE_ID_ALREADY_EXISTS",
]);
