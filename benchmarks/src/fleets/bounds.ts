/** What every platform promises under every trouble; what does not hold yet is in `known.ts`. */
import type { Outcome } from "./play.ts";
import type { FleetPlatform, Scenario } from "./scenarios.ts";

/** `waiting`: invocations at once that ran no body for more than a second; a tick that finds nothing takes some ms. */
export type Measure = "waiting" | "armedPerSecond" | "lateMs" | "invocationsEach";

/** A lease and a little, which is when who died is missed, and 2 s. */
const BY_THE_SECOND_MS = 9000 + 2000;
/** A minute, how late in its minute the schedule runs (docs/platforms.md), and what a delivery takes. */
const toPeriodMs = (lateMs: number): number => 60_000 + lateMs + 250;

const LATE_MS: Readonly<Record<FleetPlatform, number>> = {
  awsLambda: BY_THE_SECOND_MS,
  vercel: BY_THE_SECOND_MS,
  cloudflare: BY_THE_SECOND_MS,
  netlify: toPeriodMs(5000),
  deno: toPeriodMs(1000),
};

export const boundsOf = (
  platform: FleetPlatform,
  { mixedForMs }: Scenario,
): Readonly<Record<Measure, number>> => ({
  waiting: 2,
  // Queues hold back for whole seconds; an object's alarm is set to the millisecond, and two sleeps a second end. Each of two
  // deployments asks for itself.
  armedPerSecond: platform === "cloudflare" || mixedForMs !== undefined ? 2 : 1.2,
  lateMs: LATE_MS[platform],
  // A request, a tick, a sleep's wake, and what each deployment leaves to the other.
  invocationsEach: mixedForMs === undefined ? Infinity : 8,
});

/** What of an outcome is bound. A backlog is as late as it is long. */
export const measuresOf = (
  outcome: Outcome,
  { isBacklog = false, instances }: Scenario,
): Record<Measure, number> => ({
  waiting: outcome.waiting,
  armedPerSecond: outcome.armedPerSecond ?? 0,
  lateMs: isBacklog ? 0 : outcome.lateMs,
  invocationsEach: outcome.invocations / instances.length,
});
