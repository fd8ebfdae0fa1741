/** What a million a month may cost, and what may not grow with the load. */
import { BILLS, total } from "./bills.ts";
import { type CostCounts, LOADS, type LoadName } from "./measure-cost.ts";
import { toMeant } from "./meaning.ts";
import { COST_MODELS } from "./models.ts";
import { COST_PLATFORMS, type CostPlatform } from "./platforms.ts";
import { toMonth } from "./month.ts";

export interface Verdict {
  readonly platform: CostPlatform;
  readonly says: string;
  readonly limit: string;
  readonly found: string;
  readonly isMet: boolean;
}

/** Dollars at 1 M a month, the platform only. */
const DOLLARS: Readonly<Partial<Record<CostPlatform, number>>> = {
  awsLambda: 7,
  vercel: 6,
  netlify: 62,
  cloudflare: 14,
  deno: 20,
};
const TRIPS = 9;
const MESSAGE_WAIT_MS = 500;

export function judge(counts: CostCounts, rowsWritten: number): readonly Verdict[] {
  return COST_PLATFORMS.flatMap((platform) =>
    [judgeDollars, judgeTrips, judgeWaits].flatMap((one) => one(platform, counts, rowsWritten)),
  );
}

function judgeDollars(
  platform: CostPlatform,
  counts: CostCounts,
  rowsWritten: number,
): readonly Verdict[] {
  const figures = counts[platform]["1 M"];
  const limit = DOLLARS[platform];
  if (figures === undefined || limit === undefined) return [];
  const dollars = total(BILLS[platform](toMonth(figures, LOADS["1 M"]), rowsWritten));
  return [
    {
      platform,
      says: `${COST_MODELS[platform].says}, 1 M a month`,
      limit: `$${limit}`,
      found: `$${dollars.toFixed(1)}`,
      isMet: Math.round(dollars * 10) / 10 <= limit,
    },
  ];
}

function judgeTrips(platform: CostPlatform, counts: CostCounts): readonly Verdict[] {
  const { idle, ...busy } = counts[platform];
  if (idle === undefined) return [];
  const trips = Object.values(busy).map((figures) => toMeant(platform, figures, idle).ownTrips);
  const most = Math.max(...trips);
  return [
    {
      platform,
      says: `${COST_MODELS[platform].says}, trips a workflow at the worst load`,
      limit: String(TRIPS),
      found: most.toFixed(1),
      isMet: Math.round(most * 10) / 10 <= TRIPS,
    },
  ];
}

function judgeWaits(platform: CostPlatform, counts: CostCounts): readonly Verdict[] {
  const load: LoadName = "3 M";
  const waitMs = counts[platform][load]?.p95Ms["messageWaitMs"];
  if (waitMs === undefined) return [];
  return [
    {
      platform,
      says: `${COST_MODELS[platform].says}, ${load} a month: a message waits for a free function, p95`,
      limit: `${MESSAGE_WAIT_MS} ms`,
      found: `${waitMs} ms`,
      isMet: waitMs <= MESSAGE_WAIT_MS,
    },
  ];
}
