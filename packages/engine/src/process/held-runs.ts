/**
 * Runs that a create or an event claimed in its own trip, for the tick that follows in this process. The tick begins with them,
 * before it claims anything.
 */
import type { HeldRun } from "../ports/tick.ts";
import { spentBudget } from "../run/unbounded-budget.ts";
import type { RunContext } from "../run/context.ts";
import type { Session } from "../run/session-interface.ts";
import type { Slot } from "./prefetch.ts";
import type { Slots } from "./slots.ts";

type HeldContext = Pick<RunContext, "host" | "claimedNames"> & { readonly slots: Slots };

/**
 * Reserves a slot for a run that a call may claim and that a tick is to begin with.
 *
 * @param remainingMs what is left of the invocation that the tick runs in
 * @param hold requests that tick
 * @returns null: no slot is free
 */
export function reserveHeld(
  { host, claimedNames, slots }: HeldContext,
  remainingMs: number,
  hold: (held: HeldRun) => void,
): Slot | null {
  if (slots.free <= 0) return null;
  slots.reserved += 1;
  const sentMs = host.elapsedMs();
  const ticket = { ...slots.newTicket(remainingMs), looksFor: claimedNames };
  return {
    ticket,
    start: (claimed, next) =>
      hold({
        claimed,
        next,
        leaseEndsAtMs: ticket.leaseEndsAtMs,
        sentMs,
        answeredMs: host.elapsedMs(),
      }),
    release: () => {
      slots.reserved -= 1;
    },
  };
}

/** Releases a held run that no tick took. */
export async function releaseHeld({ slots, host }: HeldContext, held: HeldRun): Promise<void> {
  const { claimed, next, leaseEndsAtMs, answeredMs: observedAtMs } = held;
  slots.reserved -= 1;
  // Without its steps it cannot be replayed up to its release, so its lease has to end.
  if (!claimed.isWhole) return;
  const options = { now: next.now, observedAtMs, budget: spentBudget(host), leaseEndsAtMs };
  const sessions: Session[] = [];
  await slots.admit(claimed, options, (run, given) => void sessions.push(slots.open(run, given)));
  await Promise.all(sessions.map(({ milestones }) => milestones.ended));
}
