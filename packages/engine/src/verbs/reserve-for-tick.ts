/** Reserves slots for runs that a call may claim, if the process stays for a tick. */
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { HeldRun } from "../ports/tick.ts";
import { releaseHeld, reserveHeld } from "../process/held-runs.ts";
import type { Slot } from "../process/prefetch.ts";
import type { HostContext } from "./context.ts";
import { tryWake } from "../drive/drive.ts";

/** @returns null: the process does not stay, or no slot is free */
export function reserveForTick(
  context: HostContext,
  platform: Platform | undefined,
  reason: WakeHint["reason"],
): Slot | null {
  if (platform?.stays?.() !== true) return null;
  const remainingMs = (platform.deadline() ?? Infinity) - context.host.now();
  const wake = async (held: HeldRun): Promise<void> => {
    const { workflowName, instanceId } = held.claimed.run;
    const hint: WakeHint = { workflowName, instanceId, reason };
    const release = async (error: unknown): Promise<never> => {
      await releaseHeld(context, held);
      throw error;
    };
    await tryWake(() => platform.wakeNow({ ...hint, held }).catch(release), hint, context.logger);
  };
  return reserveHeld(context, remainingMs, (held) => platform.defer(wake(held)));
}
