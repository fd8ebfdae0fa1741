/** Where a bound of `bounds.ts` does not hold yet, why, and what was measured: by scenario and size of the fleet. */
import type { Measure } from "./bounds.ts";
import type { FleetPlatform, FleetSize } from "./scenarios.ts";

export interface Known {
  readonly platform: FleetPlatform;
  readonly measure: Measure;
  readonly why: string;
  readonly measured: Readonly<Record<string, Readonly<Partial<Record<FleetSize, number>>>>>;
}

const EACH_DELIVERY_ARMS =
  "a message that is delivered to ten sandboxes is asked on for by each of them (packages/engine/src/host/queue-wakes.ts)";

export const KNOWN: readonly Known[] = [
  {
    platform: "awsLambda",
    measure: "armedPerSecond",
    why: `${EACH_DELIVERY_ARMS}, and a standard queue of SQS drops no duplicates`,
    measured: { tenfold: { 10: 6, 100: 43 } },
  },
  {
    platform: "vercel",
    measure: "armedPerSecond",
    why: `${EACH_DELIVERY_ARMS}; below 5 s of delay Vercel Queues know no key (adapters/vercel/src/vercel-queue.ts, \`MIN_KEYED_DELAY_SECONDS\`), so that the message that stands by for who dies asks anew for what comes due in the next seconds`,
    measured: { tenfold: { 10: 3.56, 100: 17.62 }, shortBusy: { 10: 1.4 } },
  },
];
