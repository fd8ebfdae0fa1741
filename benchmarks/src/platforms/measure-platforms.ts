/** `npm run bench -- --platforms`: what each platform's example costs, beside a bare Hono application of that platform. */
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { median } from "../rounds.ts";
import { bundlePlatform, hasExample, type PlatformBundle, type Side } from "./bundle-platform.ts";
import { countWork, type WorkCounts } from "./count-work.ts";
import { measureStart, missingFor, type Start } from "./measure-start.ts";
import { type PlatformName, PLATFORM_ROWS } from "./platform-rows.ts";

export interface SideFigures {
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Medians; null where the runtime is not installed. */
  readonly startWallMs: number | null;
  readonly startCpuMs: number | null;
}

export interface PlatformFigures {
  readonly work: WorkCounts;
  /** null: there is no such example here. */
  readonly ours: SideFigures | null;
  readonly bare: SideFigures | null;
}

export interface PlatformsOptions {
  readonly starts: number;
  readonly samples: number;
  readonly say: (message: string) => void;
}

interface Pair {
  readonly name: PlatformName;
  readonly bundles: Readonly<Record<Side, PlatformBundle>>;
  readonly starts: Readonly<Record<Side, Start[]>>;
}

const SIDES: readonly Side[] = ["ours", "bare"];

export async function measurePlatforms(
  options: PlatformsOptions,
): Promise<Readonly<Record<PlatformName, PlatformFigures>>> {
  const { samples, say } = options;
  say("bundles");
  const pairs: Pair[] = [];
  for (const name of Object.keys(PLATFORM_ROWS) as PlatformName[]) {
    if (!hasExample(name)) {
      say(`SKIPPED: ${name} has no example`);
      continue;
    }
    const [ours, bare] = await Promise.all(SIDES.map((side) => bundlePlatform(name, side)));
    if (ours === undefined || bare === undefined) continue;
    pairs.push({ name, bundles: { ours, bare }, starts: { ours: [], bare: [] } });
  }
  await startAll(pairs, options);
  say("trips and invocations");
  const work = await countWork(samples);
  const figures = Object.entries(work).map(([name, counts]) => {
    const pair = pairs.find((one) => one.name === name);
    const of = (side: Side): SideFigures | null => (pair ? toFigures(pair, side) : null);
    return [name, { work: counts, ours: of("ours"), bare: of("bare") }] as const;
  });
  return Object.fromEntries(figures) as Record<PlatformName, PlatformFigures>;
}

/** In turn, the other side first in every other round, so that what else the machine does meets both alike. */
async function startAll(pairs: readonly Pair[], { starts, say }: PlatformsOptions): Promise<void> {
  const directory = temporaryDirectory();
  const able = pairs.filter(({ name }) => {
    const missing = missingFor(PLATFORM_ROWS[name]);
    if (missing !== null) say(`SKIPPED: start of ${name}: ${missing}`);
    return missing === null;
  });
  try {
    // The first round makes the databases and warms the disk; it is not counted.
    for (let round = 0; round <= starts; round += 1) {
      say(`starts ${round} of ${starts}`);
      for (const { name, bundles, starts: kept } of able) {
        for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
          const { path } = bundles[side];
          const start = await measureStart({
            row: PLATFORM_ROWS[name],
            path,
            directory: directory.path,
          });
          if (round > 0) kept[side].push(start);
        }
      }
    }
  } finally {
    directory.remove();
  }
}

function toFigures({ bundles, starts }: Pair, side: Side): SideFigures {
  const { bytes, gzipBytes } = bundles[side];
  const medianOf = (read: (start: Start) => number): number | null =>
    starts[side].length === 0 ? null : Math.round(median(starts[side].map(read)));
  return {
    bytes,
    gzipBytes,
    startWallMs: medianOf(({ wallMs }) => wallMs),
    startCpuMs: medianOf(({ cpuMs }) => cpuMs),
  };
}
