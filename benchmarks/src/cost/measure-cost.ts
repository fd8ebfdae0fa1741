/** Every platform at every load, and idle. */
import { installVirtualTime } from "../lateness/virtual-time.ts";
import { type Figures, toFigures } from "./figures.ts";
import { COST_MODELS } from "./models.ts";
import { COST_PLATFORMS, type CostPlatform } from "./platforms.ts";
import { simulateBusy } from "./simulate.ts";
import { prepareIdle, simulateIdle } from "./simulate-idle.ts";

/** Workflows created a month. */
export const LOADS = { "10 k": 1e4, "100 k": 1e5, "1 M": 1e6, "3 M": 3e6 } as const;
export type LoadName = keyof typeof LOADS;

export interface CostSize {
  /** How many minutes of each load are counted, after the warm-up. */
  readonly minutes: Readonly<Partial<Record<LoadName, number>>>;
  /** The platforms that are counted at a load. @default all */
  readonly only?: Readonly<Partial<Record<LoadName, readonly CostPlatform[]>>>;
  readonly idle: { readonly asleep: number; readonly hours: number };
}

export type PlatformCounts = Readonly<Record<LoadName | "idle", Figures>>;
/** A load that the size leaves out is absent. */
export type CostCounts = Readonly<Record<CostPlatform, Partial<PlatformCounts>>>;

const START_AT = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** Has this process's clock meanwhile: nothing else can run in it. */
export async function measureCost(
  { minutes, idle, only = {} }: CostSize,
  platforms: readonly CostPlatform[],
  say: (message: string) => void,
): Promise<CostCounts> {
  const time = installVirtualTime(START_AT);
  const counts = Object.fromEntries(COST_PLATFORMS.map((name) => [name, {}]));
  const keep = (name: CostPlatform, column: string, figures: Figures): void => {
    Object.assign(counts[name] ?? {}, { [column]: figures });
  };
  say(`${idle.asleep} are put to sleep`);
  const sleeping = await prepareIdle(time, idle.asleep);
  for (const name of platforms) {
    const model = COST_MODELS[name];
    say(`${name}, idle`);
    const windowMs = idle.hours * 60 * MINUTE_MS;
    keep(
      name,
      "idle",
      toFigures(await simulateIdle(time, model, { ...sleeping, windowMs }), windowMs),
    );
  }
  for (const [load, windowMinutes] of Object.entries(minutes) as [LoadName, number][]) {
    for (const name of (only[load] ?? platforms).filter((one) => platforms.includes(one))) {
      say(`${name}, ${load} a month`);
      const windowMs = windowMinutes * MINUTE_MS;
      const busy = { perMonth: LOADS[load], windowMs };
      keep(name, load, toFigures(await simulateBusy(time, COST_MODELS[name], busy), windowMs));
    }
  }
  time.restore();
  return counts as CostCounts;
}
