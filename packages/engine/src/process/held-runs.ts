/**
 * Runs that a create or an event has claimed in its own trip, for the tick that follows it in this process: the tick begins
 * with them, and claims nothing before.
 */
import type { HeldRun } from "../ports/tick.ts";
import { spentBudget } from "../run/unbounded-budget.ts";
import type { RunContext } from "../run/context.ts";
import type { Session } from "../run/session.ts";
import type { Slot } from "./prefetch.ts";
import type { Slots } from "./slots.ts";

type HeldContext = Pick<RunContext, "host" | "claimedNames"> & { readonly slots: Slots };

/**
 * A slot for a run that a call may claim and a tick is to begin with.
 *
 * @param remainingMs what is left of the invocation that the tick is in
 * @param hold asks for that tick
 * @returns null: none is free
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

/** Hands a held run back: no tick came for it. */
export async function releaseHeld({ slots, host }: HeldContext, held: HeldRun): Promise<void> {
  const { claimed, next, leaseEndsAtMs, answeredMs: heardAtMs } = held;
  slots.reserved -= 1;
  // Without its steps it cannot be replayed so far: its lease ends.
  if (!claimed.isWhole) return;
  const options = { now: next.now, heardAtMs, budget: spentBudget(host), leaseEndsAtMs };
  const sessions: Session[] = [];
  await slots.admit(claimed, options, (run, given) => void sessions.push(slots.open(run, given)));
  await Promise.all(sessions.map(({ milestones }) => milestones.ended));
}
