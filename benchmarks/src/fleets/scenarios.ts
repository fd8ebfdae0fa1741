/** The troubles, each with what is asked of an application meanwhile. */
import type { CostPlatform } from "../cost/platforms.ts";
import type { Troubles } from "./troubles.ts";

/** Those whose work is done in invocations. */
export type FleetPlatform = Exclude<CostPlatform, "node" | "bun">;

export type FleetSize = 1 | 10 | 100;

export interface Scenario {
  readonly name: string;
  /** Row of the acceptance list that it is about. */
  readonly row: "S9-011" | "S9-012" | "S9-015";
  readonly says: string;
  readonly instances: readonly Planned[];
  readonly troubles: Troubles;
  /** How many bodies of those that were struck run again. @default [0, 0] */
  readonly repeats?: readonly [least: number, most: number];
  /** How late it is worked off is bound by nothing here. @default false */
  readonly isBacklog?: boolean;
  /** Half of the sandboxes are of an older deployment for so long, but none that a schedule begins. @default not at all */
  readonly mixedForMs?: number;
  /** How long a step's body takes, in milliseconds. @default 50 */
  readonly bodyMs?: number;
  /** Steps of each instance after the usual ones. @default 0 */
  readonly moreSteps?: number;
  /** After so long it is over. @default 3 hours */
  readonly limitMs?: number;
  /** Sizes of the fleet. @default 1, 10 and 100 */
  readonly sizes?: readonly FleetSize[];
  /** @default all */
  readonly platforms?: readonly FleetPlatform[];
}

export interface Planned {
  readonly id: string;
  /** When it is created, in milliseconds after the begin; 0: it is there, and nobody was told. */
  readonly atMs: number;
  /** When its sleep ends, likewise; null: it has none. */
  readonly dueMs: number | null;
  /** Only the newest deployment registers "fresh". @default "nap" */
  readonly workflow?: "nap" | "fresh";
  /** Whom it is asked of. @default "production" */
  readonly from?: "production" | "preview";
}

/** One created each second, each asleep for a while. */
export const naps = (count: number, dueMs: (index: number) => number): readonly Planned[] =>
  Array.from({ length: count }, (_none, index) => ({
    id: `nap-${index}`,
    atMs: 1000 + index * 1000,
    dueMs: dueMs(index),
  }));

/** Two a second end, at odd instants. */
const USUAL: readonly Planned[] = naps(20, (index) => 40_337 + index * 511);

/** Beside them one that is created when all others have ended: only what was armed for it comes back for it. */
const LONELY: readonly Planned[] = [...USUAL, { id: "lonely", atMs: 80_117, dueMs: 86_337 }];
const LONELY_AFTER_MS = 80_000;

/** Many together, and then a few one after another: nobody else's wake comes by for what the older deployment does not see. */
const OF_TWO_VERSIONS: readonly Planned[] = [
  ...USUAL,
  ...Array.from({ length: 16 }, (_none, index) => ({
    id: `few-${index}`,
    atMs: 80_117 + index * 20_000,
    dueMs: 95_337 + index * 20_000 + (index % 3) * 7000,
  })),
].map(({ id, atMs, dueMs }, index) => ({
  id,
  atMs,
  dueMs,
  workflow: index % 2 === 0 ? "fresh" : "nap",
}));

const busy = (seconds: number): Omit<Scenario, "name" | "row"> => ({
  says: `five creates a second beside a sleep that is due in ${seconds} s`,
  instances: [
    { id: "sleeper", atMs: 500, dueMs: seconds * 1000 + 500 },
    ...Array.from({ length: seconds * 6 }, (_none, index) => ({
      id: `new-${index}`,
      atMs: 1000 + index * 200,
      dueMs: null,
    })),
  ],
  troubles: {},
});

const OUTAGE = { fromMs: 30_000, toMs: 632_000 };

/** Where each trip takes its time. */
export const SHORT_BUSY: Scenario = { name: "shortBusy", row: "S9-011", ...busy(12) };

export const SCENARIOS: readonly Scenario[] = [
  { name: "busy", row: "S9-011", ...busy(50) },
  {
    name: "tenfold",
    row: "S9-015",
    says: "each wake is delivered ten times within 9 s, in any order",
    instances: naps(8, (index) => 40_337 + index * 1511),
    troubles: { deliveries: { count: 10, withinMs: 9000 } },
  },
  {
    name: "frozen",
    row: "S9-015",
    says: "a sandbox is frozen for 120 s in the middle of a step",
    instances: LONELY,
    troubles: { strike: { afterMs: LONELY_AFTER_MS, in: "step", by: { freezeMs: 120_000 } } },
    // Where nobody else took it meanwhile, it goes on.
    repeats: [0, 1],
  },
  {
    name: "outage",
    row: "S9-012",
    says: "the database is away for 10 minutes, in which sleeps come due",
    // Few, so that the one does not wake for the other.
    instances: naps(2, (index) => 60_337 + index * 300_511),
    troubles: { outage: OUTAGE },
  },
  {
    name: "lostSends",
    row: "S9-012",
    says: "three sends in a row are not taken",
    instances: USUAL,
    troubles: { lostSends: { afterMs: 10_000, count: 3 } },
  },
  {
    name: "versions",
    row: "S9-012",
    says: "half of the sandboxes are of an older deployment, which lacks a workflow",
    instances: OF_TWO_VERSIONS,
    troubles: {},
    mixedForMs: 600_000,
    sizes: [10, 100],
    platforms: ["awsLambda", "vercel", "netlify", "deno"],
  },
  toDeath("step", "in a step"),
  toDeath("claim", "in a claim, which is applied"),
  toDeath("commit", "before the answer to its commit, which is applied"),
  // Ten times as many take half a minute of real time, and an object of Cloudflare's a minute and a half.
  toBacklog(Number(process.env["ESCAPEMENT_BACKLOG"] ?? 1000)),
];

/** The fleets of a platform that meet it; an object of Cloudflare's is one. */
export function toSizes(
  { platforms, sizes = [1, 10, 100] }: Scenario,
  platform: FleetPlatform,
): readonly FleetSize[] {
  if (platforms?.includes(platform) === false) return [];
  return platform === "cloudflare" ? [1] : sizes;
}

function toDeath(where: "step" | "claim" | "commit", says: string): Scenario {
  const repeats = where === "step" ? 1 : 0;
  return {
    name: `${where}Death`,
    row: "S9-012",
    says: `a sandbox is killed ${says}`,
    instances: LONELY,
    troubles: { strike: { afterMs: LONELY_AFTER_MS, in: where, by: "death" } },
    repeats: [repeats, repeats],
  };
}

function toBacklog(count: number): Scenario {
  return {
    name: "backlog",
    row: "S9-015",
    says: `${count} are due at once`,
    instances: [
      { id: "herald", atMs: 1000, dueMs: null },
      ...Array.from({ length: count }, (_none, index) => ({
        id: `due-${index}`,
        atMs: 0,
        dueMs: null,
      })),
    ],
    troubles: {},
    isBacklog: true,
    sizes: [10],
  };
}
