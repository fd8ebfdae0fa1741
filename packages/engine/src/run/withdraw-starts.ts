/** Withdraws recorded starts that must not begin after all, as their run is left. Loaded with the first of them. */
import { decideStartTakenBack } from "../core/decide/attempt-failed.ts";
import type { Session } from "./session-interface.ts";

/** Their calls are decided again. */
export function withdrawStarts({ starts, pending, calls }: Session): void {
  const requeued = starts.queued.filter(({ isRecorded }) => isRecorded);
  starts.queued = starts.queued.filter(({ isRecorded }) => !isRecorded);
  const recorded = starts.recorded.splice(0).map(({ start }) => start);
  for (const { call, started } of [...recorded, ...requeued]) {
    pending.add(decideStartTakenBack(started));
    calls.reopen(call);
  }
}
