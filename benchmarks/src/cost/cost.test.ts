/**
 * Counts that platforms bill, by the virtual clock: they can only change with the code. The prices are in `docs/cost.md`. Two
 * platforms each day.
 */
import { ofToday } from "@escapement-internal/test-servers";
import { beforeAll, describe, expect, test } from "vitest";
import { bench } from "../bench-process.ts";
import kept from "./counts.json" with { type: "json" };
import type { CostCounts, LoadName } from "./measure-cost.ts";
import { type Meant, toMeant } from "./meaning.ts";
import type { CostPlatform } from "./platforms.ts";
import { readRowsWritten } from "./rows-written.ts";

type Bounds = Readonly<Pick<Meant, "invocations" | "billedMs" | "armed" | "ownTrips">>;

/** Most per workflow. At 10 k a month the schedule of each minute and what stays for it are shared by few. */
const BOUNDS: Readonly<Record<LoadName, Readonly<Partial<Record<CostPlatform, Bounds>>>>> = {
  "10 k": {
    awsLambda: { invocations: 5.6, billedMs: 230, armed: 3.5, ownTrips: 9 },
    vercel: { invocations: 5.5, billedMs: 260, armed: 3.3, ownTrips: 9 },
    netlify: { invocations: 10, billedMs: 32_000, armed: 3.3, ownTrips: 9 },
    cloudflare: { invocations: 6.3, billedMs: 230, armed: 5.5, ownTrips: 9 },
    deno: { invocations: 9, billedMs: 200_000, armed: 2.1, ownTrips: 9 },
    node: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
    bun: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
  },
  "100 k": {
    awsLambda: { invocations: 5.6, billedMs: 225, armed: 3.5, ownTrips: 9 },
    vercel: { invocations: 4.7, billedMs: 240, armed: 2.5, ownTrips: 9 },
    netlify: { invocations: 5.4, billedMs: 22_500, armed: 2.8, ownTrips: 9 },
    cloudflare: { invocations: 5.6, billedMs: 220, armed: 5.5, ownTrips: 9 },
    deno: { invocations: 3.8, billedMs: 31_000, armed: 1.1, ownTrips: 9 },
    node: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
    bun: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
  },
  "1 M": {
    awsLambda: { invocations: 5.6, billedMs: 200, armed: 3.5, ownTrips: 9 },
    vercel: { invocations: 3.5, billedMs: 200, armed: 1.3, ownTrips: 9 },
    netlify: { invocations: 4.4, billedMs: 3500, armed: 2.3, ownTrips: 9 },
    cloudflare: { invocations: 5.5, billedMs: 220, armed: 5.5, ownTrips: 9 },
    deno: { invocations: 2.4, billedMs: 3000, armed: 0.3, ownTrips: 9 },
    node: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
    bun: { invocations: 2, billedMs: 0, armed: 0, ownTrips: 9 },
  },
  "3 M": { awsLambda: { invocations: 5.6, billedMs: 200, armed: 3.5, ownTrips: 9 } },
};
const PLAYED: readonly CostPlatform[] = ofToday(
  ["awsLambda", "node", "vercel", "cloudflare", "netlify", "bun", "deno"] as const,
  2,
);
const MOST_WAIT_MS = 500;
/** With the 50 million that the plan includes, $14 at 1 M a month. */
const ROWS_WRITTEN = 58.4;
/** A short window beside a long one. */
const NOISE = 0.25;

const toEntries = <K extends string, V>(record: Readonly<Partial<Record<K, V>>>): [K, V][] =>
  Object.entries(record) as [K, V][];

const read = (counts: CostCounts, platform: CostPlatform, load: LoadName): Meant => {
  const { [load]: figures, idle } = counts[platform];
  if (figures === undefined || idle === undefined) throw new TypeError(`${platform}, ${load}`);
  return toMeant(platform, figures, idle);
};

describe("S9-016 what platforms bill, under load", () => {
  let counts: CostCounts;
  beforeAll(async () => {
    const { stdout } = await bench(
      ["--cost", "--size", "tiny", "--json"].concat(
        PLAYED.flatMap((platform) => ["--platform", platform]),
      ),
    );
    counts = (JSON.parse(stdout) as { readonly cost: CostCounts }).cost;
  }, 600_000);

  for (const [load, byPlatform] of toEntries(BOUNDS)) {
    for (const [platform, bounds] of toEntries(byPlatform).filter(([one]) =>
      PLAYED.includes(one),
    )) {
      test(`S9-016 ${platform} at ${load} a month: invocations, billed time, messages and trips of a workflow`, () => {
        const meant = read(counts, platform, load);
        for (const [name, most] of toEntries(bounds))
          expect(meant[name], name).toBeLessThanOrEqual(most);
        const waitMs = counts[platform][load]?.p95Ms["messageWaitMs"] ?? 0;
        expect(waitMs, "a message waits").toBeLessThanOrEqual(MOST_WAIT_MS);
      });
    }
  }

  test("S9-016 rows written of a workflow on Cloudflare: those of docs/rows.md, and one for each alarm that is set", () => {
    const counted = PLAYED.includes("cloudflare") ? counts : (kept as CostCounts);
    for (const load of ["10 k", "100 k", "1 M"] as const) {
      const { armed } = read(counted, "cloudflare", load);
      expect(readRowsWritten() + armed, load).toBeLessThanOrEqual(ROWS_WRITTEN);
    }
  });

  test("S9-016 the counts that docs/cost.md is made from are the code's; `npm run bench -- --cost --full --write` counts anew", () => {
    for (const platform of PLAYED) {
      const [now, then] = [counts, kept as CostCounts].map((one) => read(one, platform, "1 M"));
      for (const name of ["invocations", "ownTrips"] as const) {
        const ratio = (now?.[name] ?? 0) / (then?.[name] ?? 0);
        expect(Math.abs(ratio - 1), `${platform}: ${name}`).toBeLessThan(NOISE);
      }
    }
  });
});
