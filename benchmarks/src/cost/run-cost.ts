/** `npm run bench -- --cost`. */
import { writeFileSync } from "node:fs";
import type { SizeName } from "../sizes.ts";
import { renderCostPage } from "./cost-page.ts";
import { type CostCounts, type CostSize, measureCost } from "./measure-cost.ts";
import { COST_PLATFORMS, type CostPlatform } from "./platforms.ts";
import { readRowsWritten } from "./rows-written.ts";

const SIZES: Readonly<Record<SizeName, CostSize>> = {
  tiny: {
    minutes: { "10 k": 360, "100 k": 60, "1 M": 5, "3 M": 1 },
    // It takes long, and is there for messages that wait.
    only: { "3 M": ["awsLambda"] },
    idle: { asleep: 300, hours: 3 },
  },
  quick: { minutes: { "10 k": 1440, "100 k": 120, "1 M": 15 }, idle: { asleep: 1000, hours: 6 } },
  full: {
    minutes: { "10 k": 2880, "100 k": 480, "1 M": 60, "3 M": 20 },
    idle: { asleep: 10_000, hours: 24 },
  },
};

const COUNTS = new URL("counts.json", import.meta.url);
const PAGE = new URL("../../../docs/cost.md", import.meta.url);

export interface CostOptions {
  readonly sizeName: SizeName;
  readonly json: boolean;
  /** Empty: all. */
  readonly platforms: readonly CostPlatform[];
  /** Keeps the counts beside this file, and writes `docs/cost.md`. */
  readonly write: boolean;
  readonly say: (message: string) => void;
}

/** @returns the page, or `{ "cost": { "<platform>": { "<load>" | "idle": … } } }` */
export async function runCost(options: CostOptions): Promise<string> {
  const { sizeName, json, platforms, write, say } = options;
  const counted = platforms.length === 0 ? COST_PLATFORMS : platforms;
  const counts: CostCounts = await measureCost(SIZES[sizeName], counted, say);
  const toPage = (): string => renderCostPage({ counts, rowsWritten: readRowsWritten() });
  if (write) {
    writeFileSync(COUNTS, `${JSON.stringify(counts, null, 2)}\n`);
    writeFileSync(PAGE, toPage());
  }
  return json ? JSON.stringify({ cost: counts }) : toPage();
}
