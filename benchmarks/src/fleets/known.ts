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
const MANY_TICK =
  "so many wakes for one second begin as many ticks beside each other, of some ms each: none of them waits for a second";

export const KNOWN: readonly Known[] = [
  {
    platform: "awsLambda",
    measure: "askedPerSecond",
    why: `${EACH_PROCESS_ARMS}; a standard queue of SQS drops no duplicates (adapters/aws-lambda/src/scheduler.ts, \`near\`). A message that is delivered to ten sandboxes is asked for by each anew`,
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
    platform: "awsLambda",
    measure: "idle",
    why: MANY_TICK,
    measured: {
      busy: { 10: 3, 100: 6 },
      tenfold: { 10: 4, 100: 10 },
      frozen: { 100: 4 },
      lostSends: { 100: 3 },
      stepDeath: { 100: 4 },
      claimDeath: { 100: 4 },
      commitDeath: { 100: 4 },
    },
  },
  {
    platform: "awsLambda",
    measure: "lateMs",
    why: "no dead-man's wake is armed before the work (adapters/aws-lambda/src/handler.ts, `tick`): who dies or is frozen alone is missed when its message's visibility timeout ends (stack.json, 330 s), or when it thaws",
    measured: {
      frozen: { 10: 114_000, 100: 114_000 },
      stepDeath: { 1: 330_100, 10: 330_100, 100: 330_100 },
      claimDeath: { 1: 330_100, 10: 330_100, 100: 330_100 },
      commitDeath: { 1: 324_000, 10: 324_000, 100: 324_000 },
    },
  },
  {
    platform: "vercel",
    measure: "askedPerSecond",
    why: `${EACH_PROCESS_ARMS}, and the two functions are two processes even in a fleet of one. Vercel Queues drop what is asked for again by its key, but not the dead-man's wake of each process, nor delays below 5 s, which have none (packages/engine/src/host/queue-drain.ts, \`deadMan\`; adapters/vercel/src/vercel-queue.ts, \`MIN_KEYED_DELAY_SECONDS\`)`,
    measured: {
      busy: { 10: 1.99, 100: 7.48 },
      shortBusy: { 10: 3.7 },
      tenfold: { 10: 3.84, 100: 17.96 },
      frozen: { 10: 1.74, 100: 2.21 },
      outage: { 1: 1.5, 10: 2, 100: 2 },
      lostSends: { 1: 1.22, 10: 1.75, 100: 2.23 },
      stepDeath: { 10: 1.74, 100: 2.21 },
      claimDeath: { 10: 1.74, 100: 2.21 },
      commitDeath: { 10: 1.74, 100: 2.21 },
    },
  },
  {
    platform: "vercel",
    measure: "idle",
    why: MANY_TICK,
    measured: { busy: { 100: 4 }, tenfold: { 10: 5, 100: 9 } },
  },
  {
    platform: "vercel",
    measure: "lateMs",
    why: "a wake that failed is delivered again after `retryAfterSeconds`, 30 s (adapters/vercel/src/deploy.ts, `toConfig`), and nothing sooner is asked for (`takeWake` in packages/engine/src/host/queue-drain.ts answers false)",
    measured: { outage: { 1: 29_300, 10: 29_300, 100: 29_300 } },
  },
  {
    platform: "netlify",
    measure: "idle",
    why: "each run that a request began stays in its minute for what it parked itself (adapters/netlify/src/background.ts, `ownLingerEndsAt`): as many wait as there are short sleeps; and a call of the schedule that is delivered again is a holder more",
    measured: {
      busy: { 10: 3, 100: 3 },
      shortBusy: { 10: 3 },
      tenfold: { 10: 10, 100: 10 },
      frozen: { 10: 11, 100: 20 },
      lostSends: { 10: 11, 100: 17 },
      stepDeath: { 10: 11, 100: 20 },
      claimDeath: { 10: 11, 100: 20 },
      commitDeath: { 10: 11, 100: 20 },
    },
  },
  {
    platform: "deno",
    measure: "idle",
    why: "each instance waits for all that comes due inside the minute, whoever parked it, and each call that began a tick stays open until its instance waits for nothing (packages/engine/src/host/minute-hold.ts, `wakeIn` and `hold`): five creates a second over ten instances are all open until the sleep ends",
    measured: {
      busy: { 10: 25, 100: 129 },
      shortBusy: { 10: 17 },
      tenfold: { 10: 34, 100: 69 },
      frozen: { 10: 11, 100: 18 },
      lostSends: { 10: 9, 100: 16 },
      stepDeath: { 10: 11, 100: 18 },
      claimDeath: { 10: 11, 100: 18 },
      commitDeath: { 10: 11, 100: 18 },
    },
  },
  {
    platform: "cloudflare",
    measure: "askedPerSecond",
    why: "an object has one alarm: the one that rings at once for a create replaces the one that is set for the sleep, which is set again after each (adapters/cloudflare/src/scheduler.ts, `wakeNow`). One rings; each that is set is a row written",
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
  {
    platform: "cloudflare",
    measure: "lateMs",
    why: "an alarm that fails is left to the platform, which rings again after 2 s, 4 s and so on up to 64 s (adapters/cloudflare/src/scheduler.ts, `alarm`)",
    measured: { outage: { 1: 38_500 } },
  },
];
