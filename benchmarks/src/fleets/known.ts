/** Where a bound of `bounds.ts` does not hold yet, why, and what was measured: by scenario and size of the fleet. */
import type { Measure } from "./bounds.ts";
import type { FleetPlatform, FleetSize } from "./scenarios.ts";

export interface Known {
  readonly platform: FleetPlatform;
  readonly measure: Measure;
  readonly why: string;
  /** Other luck hides it. @default false */
  readonly isByChance?: boolean;
  readonly measured: Readonly<Record<string, Readonly<Partial<Record<FleetSize, number>>>>>;
}

const EACH_DELIVERY_ARMS =
  "a message that is delivered to ten sandboxes is asked on for by each of them (packages/engine/src/drive/queue-wakes.ts)";

/** An hour, and anywhere in its minute. */
const HOURLY_NET_MS = 3_660_000;

export const KNOWN: readonly Known[] = [
  {
    platform: "awsLambda",
    measure: "lateMs",
    why: 'a run that the newer deployment parks behind a wake which the older one has asked for is not seen where the older one takes that wake, and waits for the net unless another wake comes by (packages/engine/src/core/decide/wake.ts, "own")',
    isByChance: true,
    measured: { versions: { 10: HOURLY_NET_MS, 100: HOURLY_NET_MS } },
  },
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
