/** `context.progress` of a body: adds an entry for its attempt. Loaded when a body of this process first reports progress. */
import { toLimits } from "../core/default-limits.ts";
import { encodeJson } from "../core/codec.ts";
import type { ProgressMade } from "../core/model/change.ts";
import { toProgressRetention } from "../core/progress.ts";
import type { RunContext } from "./context.ts";
import { unlinked } from "./outcome.ts";
import { othersOf } from "./other-pending.ts";
import type { Session } from "./session-interface.ts";

/** The step and the attempt that an entry belongs to. */
export type ProgressOf = Pick<ProgressMade, "stepKey" | "attempt">;

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export function toProgressMade(
  context: RunContext,
  { stepKey, attempt }: ProgressOf,
  given: unknown,
): ProgressMade {
  const what = `an entry of progress of step "${stepKey}"`;
  const limits = toLimits(context.limits);
  const value = encodeJson(given, { maxBytes: limits.maxProgressEntryBytes, what }) ?? "null";
  const retention = toProgressRetention(limits);
  return { kind: "progressMade", stepKey, attempt, rowId: context.host.newId(), value, retention };
}

/** @returns a promise that resolves when there is room for more entries; it need not be awaited */
export function tellProgress(session: Session, of: ProgressOf, value: unknown): Promise<void> {
  if (session.isOver) return Promise.resolve();
  try {
    const made = toProgressMade(session.context, of, value);
    const progress = othersOf(session.pending).progress;
    const isFirst = progress.isEmpty;
    progress.add(made);
    if (isFirst || progress.isDue) session.schedule();
    return progress.whenRoom();
  } catch (error) {
    return unlinked(Promise.reject(error));
  }
}
