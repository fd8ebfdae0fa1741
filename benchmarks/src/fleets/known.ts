/** Where a bound of `bounds.ts` does not hold yet, why, and what was measured: by scenario and size of the fleet. */
import type { Measure } from "./bounds.ts";
import type { FleetPlatform, FleetSize } from "./scenarios.ts";

export interface Known {
  readonly platform: FleetPlatform;
  readonly measure: Measure;
  readonly why: string;
  readonly measured: Readonly<Record<string, Readonly<Partial<Record<FleetSize, number>>>>>;
}

const EACH_PROCESS_ARMS =
  "a process remembers only what it armed itself (packages/engine/src/host/wake-arm.ts, `armedAt`), so that each sandbox that comes by asks for the same second";
export const KNOWN: readonly Known[] = [
  {
    platform: "awsLambda",
    measure: "askedPerSecond",
    why: `${EACH_PROCESS_ARMS}; a standard queue of SQS drops no duplicates (adapters/aws-lambda/src/platform.ts, \`near\`). A message that is delivered to ten sandboxes is asked for by each anew`,
    measured: {
      busy: { 10: 2.49, 100: 6.43 },
      shortBusy: { 10: 2.43 },
      tenfold: { 10: 5.5, 100: 47.25 },
      frozen: { 10: 4.37, 100: 11.59 },
      outage: { 10: 2, 100: 2 },
      lostSends: { 10: 3.78, 100: 13.34 },
      stepDeath: { 10: 4.37, 100: 11.59 },
      claimDeath: { 10: 4.37, 100: 11.59 },
      commitDeath: { 10: 4.37, 100: 11.59 },
    },
  },
  {
    platform: "vercel",
    measure: "askedPerSecond",
    why: "each process arms a dead-man's wake of its own (packages/engine/src/host/queue-drain.ts, `deadMan`); what is delivered to ten instances each of them wakes for anew, and below 5 s of delay Vercel Queues know no key (adapters/vercel/src/vercel-queue.ts, `MIN_KEYED_DELAY_SECONDS`)",
    measured: {
      busy: { 10: 1.81, 100: 5.67 },
      shortBusy: { 10: 2.7 },
      tenfold: { 10: 3.56, 100: 17.62 },
      frozen: { 10: 1.35, 100: 1.57 },
      outage: { 1: 1.5, 10: 1.67, 100: 1.67 },
      lostSends: { 10: 1.35, 100: 1.59 },
      stepDeath: { 10: 1.35, 100: 1.57 },
      claimDeath: { 10: 1.35, 100: 1.57 },
      commitDeath: { 10: 1.35, 100: 1.57 },
    },
  },
  {
    platform: "netlify",
    measure: "waiting",
    why: "each run that a request began stays in its minute for what it parked itself (adapters/netlify/src/background-handler.ts, `ownLingerEndsAt`): as many wait as there are short sleeps; and a call of the schedule that is delivered again is a holder more",
    measured: {
      tenfold: { 10: 8, 100: 8 },
      frozen: { 10: 10, 100: 20 },
      lostSends: { 10: 10, 100: 17 },
      stepDeath: { 10: 10, 100: 20 },
      claimDeath: { 10: 10, 100: 20 },
      commitDeath: { 10: 10, 100: 20 },
    },
  },
  {
    platform: "deno",
    measure: "waiting",
    why: "each instance waits for all that comes due inside the minute, whoever parked it, and each call that began a tick stays open until its instance waits for nothing (packages/engine/src/host/minute-hold.ts, `wakeIn` and `hold`): five creates a second over ten instances are all open until the sleep ends",
    measured: {
      busy: { 10: 24, 100: 127 },
      shortBusy: { 10: 17 },
      tenfold: { 10: 34, 100: 69 },
      frozen: { 10: 10, 100: 17 },
      lostSends: { 10: 8, 100: 15 },
      stepDeath: { 10: 10, 100: 17 },
      claimDeath: { 10: 10, 100: 17 },
      commitDeath: { 10: 10, 100: 17 },
    },
  },
  {
    platform: "cloudflare",
    measure: "askedPerSecond",
    why: "an object has one alarm: the one that rings at once for a create replaces the one that is set for the sleep, which is set again after each (adapters/cloudflare/src/platform.ts, `wakeNow`). One rings; each that is set is a row written",
    measured: {
      busy: { 1: 248 },
      shortBusy: { 1: 58 },
      tenfold: { 1: 15.25 },
      frozen: { 1: 3.34 },
      lostSends: { 1: 3.28 },
      stepDeath: { 1: 3.34 },
      claimDeath: { 1: 3.34 },
      commitDeath: { 1: 3.34 },
    },
  },
];
