/** Children that this process claims when it creates them, as far as it has free slots, so that no claim has to find them. */
import { toDeadlineAt } from "../core/deadline.ts";
import type { Change, ChildCreated } from "../core/model/change.ts";
import type { EpochMs, ParentRef, RunRef } from "../core/model/records.ts";
import { toNewRun } from "./new-run.ts";
import type { HeldSlot, RunContext } from "./context.ts";

export class HeldChildren {
  /** The changes that the commit carries. */
  readonly changes: readonly Change[];
  readonly #run: RunRef;
  readonly #slots: (readonly [child: ChildCreated, slot: HeldSlot])[] = [];

  /** @param changes of a commit of the run */
  constructor(context: Pick<RunContext, "reserveChild">, run: RunRef, changes: readonly Change[]) {
    this.#run = run;
    this.changes = changes.map((change) => {
      const slot = change.kind === "childCreated" ? context.reserveChild() : null;
      if (slot === null || change.kind !== "childCreated") return change;
      const { token, leaseMs } = slot.ticket;
      const child = { ...change, claim: { token, leaseMs } };
      this.#slots.push([child, slot]);
      return child;
    });
  }

  /** Starts those that the commit has created. @param created their task row ids */
  start(created: readonly string[], now: EpochMs): void {
    for (const [child, slot] of this.#slots.splice(0)) {
      const { stepKey, onParentEnd, taskRowId } = child;
      const parent: ParentRef = { ...this.#run, stepKey, onParentEnd };
      const deadlineAt = toDeadlineAt(child.deadline, now);
      const times = { createdAt: now, startedAt: now, deadlineAt };
      const run = toNewRun({ ...child, parent }, times, slot.ticket);
      if (created.includes(taskRowId)) slot.start(run, { now, nextDueAt: null, nextWakeAt: null });
      else slot.release();
    }
  }
}
