/** Deadlines, calls that move them, and workflows whose runs begin again when they fail. */
import type { Random } from "../random.ts";
import type { Action, InstancePlan, WorkflowPlan } from "../scenario.ts";
import { descendantOf } from "./actions.ts";
import type { ProfileFacts } from "./profile.ts";

/** From what is over before code runs to what no run comes to. */
const DEADLINES_MS = [1, 30, 400, 1500, 9000, 60_000, 600_000];

/** Every third has one. */
export const makeDeadline = (random: Random): { readonly deadlineMs?: number } =>
  random.chance(0.35) ? { deadlineMs: random.pick(DEADLINES_MS) } : {};

/** Most calls come about the deadlines. */
export function makeMoves(
  random: Random,
  of: { readonly facts: ProfileFacts; readonly instances: readonly InstancePlan[] },
): readonly Action[] {
  const { moves = [0, 0], calmAt } = of.facts;
  return of.instances.flatMap(({ id, createAt, deadlineMs = 1000 }) =>
    Array.from({ length: random.int(...moves) }, (): Action => {
      const afterMs = random.weighted([
        [3, Math.max(0, deadlineMs + random.int(-20, 20))],
        [2, random.int(0, 2000)],
        [2, random.int(0, calmAt)],
      ]);
      const at = createAt + afterMs;
      const target = { instance: id, ...descendantOf(random, of.facts) };
      const next = random.chance(0.2) ? null : random.pick(DEADLINES_MS);
      return { kind: "deadline", at, ...target, afterMs: next };
    }),
  );
}

/** Half of the workflows. */
export const makeRunRetries = (random: Random): Pick<WorkflowPlan, "runRetries"> =>
  random.chance(0.5)
    ? { runRetries: { limit: random.int(1, 3), delayMs: random.pick([0, 1000, 30_000]) } }
    : {};
