/** The tables of `docs/cost.md`. */
import { BILLS, total } from "./bills.ts";
import type { Figures } from "./figures.ts";
import { toAlignedTable, toDollars, toMs } from "./markdown-table.ts";
import { type CostCounts, LOADS, type LoadName } from "./measure-cost.ts";
import { toMeant } from "./meaning.ts";
import { COST_MODELS } from "./models.ts";
import { COST_PLATFORMS, type CostPlatform } from "./platforms.ts";
import { MONTH_HOURS, toMonth } from "./month.ts";
import { OTHERS } from "./others.ts";
import { pay, PRICES, type Price } from "./price-list.ts";
import { judge } from "./targets.ts";

/** Counts, and the rows that a workflow writes. */
export interface Counted {
  readonly counts: CostCounts;
  readonly rowsWritten: number;
}

const LOAD_NAMES = Object.keys(LOADS) as readonly LoadName[];

const bill = ({ counts, rowsWritten }: Counted, name: CostPlatform, load: LoadName): string => {
  const figures = counts[name][load];
  if (figures === undefined) return "–";
  return toDollars(total(BILLS[name](toMonth(figures, LOADS[load]), rowsWritten)));
};

export const dollarTable = (counted: Counted): string =>
  toAlignedTable(
    ["platform only, $ a month", ...LOAD_NAMES],
    COST_PLATFORMS.map((name) =>
      [COST_MODELS[name].says].concat(LOAD_NAMES.map((load) => bill(counted, name, load))),
    ),
  );

export const verdictTable = ({ counts, rowsWritten }: Counted): string =>
  toAlignedTable(
    ["target", "at most", "counted", ""],
    judge(counts, rowsWritten).map(({ says, limit, found, isMet }) => [
      says,
      limit,
      found,
      isMet ? "met" : "**missed**",
    ]),
  );

export const lineTable = ({ counts, rowsWritten }: Counted): string =>
  toAlignedTable(
    ["1 M a month", "of which", "$"],
    COST_PLATFORMS.flatMap((name) => {
      const figures = counts[name]["1 M"];
      const lines = figures && BILLS[name](toMonth(figures, LOADS["1 M"]), rowsWritten);
      return (lines ?? []).map(({ what, dollars }, index) => [
        index === 0 ? COST_MODELS[name].says : "",
        what,
        toDollars(dollars),
      ]);
    }),
    2,
  );

const COUNT_HEAD = ["", "a month", "invocations", "billed", "at once", "trips", "armed"].concat([
  "sleep late",
  "event late",
  "message waits",
]);

export const countTable = ({ counts }: Counted): string =>
  toAlignedTable(
    COUNT_HEAD,
    COST_PLATFORMS.flatMap((name) =>
      LOAD_NAMES.flatMap((load) => {
        const { [load]: figures, idle } = counts[name];
        if (figures === undefined || idle === undefined) return [];
        return [[COST_MODELS[name].says, load, ...toCells(name, figures, idle)]];
      }),
    ),
    2,
  );

function toCells(name: CostPlatform, figures: Figures, idle: Figures): readonly string[] {
  const meant = toMeant(name, figures, idle);
  const { sleepLateMs, eventLateMs, messageWaitMs } = figures.p95Ms;
  const isBilled = meant.billedMs > 0;
  return [
    meant.invocations.toFixed(1),
    isBilled ? toMs(meant.billedMs) : "–",
    isBilled ? `${meant.meanAlive.toFixed(2)} / ${meant.peakAlive}` : "–",
    `${meant.trips.toFixed(1)} (${meant.ownTrips.toFixed(1)})`,
    meant.armed.toFixed(1),
    toMs(sleepLateMs),
    toMs(eventLateMs),
    toMs(messageWaitMs),
  ];
}

/** The smallest compute of a database that suspends itself. */
const COMPUTE_UNITS = 0.25;

export const idleTable = ({ counts, rowsWritten }: Counted): string =>
  toAlignedTable(
    ["10 000 asleep", "invocations", "trips", "armed", "platform, $", "database awake", "Neon, $"],
    COST_PLATFORMS.flatMap((name) => {
      const { idle } = counts[name];
      if (idle === undefined) return [];
      const meant = toMeant(name, { ...idle, workflows: 1 / MONTH_HOURS }, idle);
      const awakeHours = idle.databaseAwakeShare * MONTH_HOURS;
      return [
        [
          COST_MODELS[name].says,
          String(Math.round(meant.invocations * MONTH_HOURS)),
          String(Math.round(meant.trips * MONTH_HOURS)),
          String(Math.round(meant.armed * MONTH_HOURS)),
          toDollars(total(BILLS[name](toMonth(idle, 0), rowsWritten))),
          `${Math.round(idle.databaseAwakeShare * 100)} %`,
          name === "cloudflare"
            ? "–"
            : toDollars(pay("neon.launch.compute", awakeHours * COMPUTE_UNITS)),
        ],
      ];
    }),
  );

export const otherTable = (): string =>
  toAlignedTable(
    ["", "what is billed", ...LOAD_NAMES],
    OTHERS.map(({ says, billed, range }) =>
      [says, billed].concat(LOAD_NAMES.map((load) => toRange(range(LOADS[load])))),
    ),
    2,
  );

function toRange(range: readonly [number, number]): string {
  const [least = "", most = ""] = range.map(toDollars);
  return least === most ? least : `${least}–${most}`;
}

export const priceTable = (): string =>
  toAlignedTable(
    ["price", "$", "for a", "where from", "copy of"],
    Object.entries(PRICES).map(([name, { dollars, per, source, copiedOn }]: [string, Price]) => [
      `\`${name}\``,
      String(dollars),
      per,
      source,
      copiedOn ?? "not found",
    ]),
    5,
  );
