/** Makes the changes of a refused commit pending again. */
import type { Change } from "../../core/model/change.ts";
import type { PendingChanges } from "../pending-changes.ts";

/** @param except steps that are not to be written, nor their events to be consumed */
export function restoreChanges(
  pending: PendingChanges,
  changes: readonly Change[],
  except: ReadonlySet<string>,
): void {
  pending.refused();
  for (const change of changes) {
    if (change.kind === "step" && !except.has(change.step.stepKey)) {
      if (!pending.has(change.step.stepKey)) pending.add(change.step);
    } else if (change.kind === "eventConsumed" && !except.has(change.stepKey)) {
      pending.others?.consume({ id: change.eventId }, change.stepKey);
    }
  }
  pending.others?.restore(changes);
}
