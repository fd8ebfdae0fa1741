/** Which of a platform's counts mean what: in the page's tables, and in what the tests hold. */
import type { Figures } from "./figures.ts";
import type { CostPlatform } from "./platforms.ts";

interface Meaning {
  readonly invocations: readonly string[];
  /** What is billed for its time. */
  readonly billed: readonly string[];
  /** Billed while it is in any invocation, not for each. */
  readonly isShared: boolean;
  /** Messages, calls or alarms that it sends itself. */
  readonly armed: string;
}

const MEANINGS: Readonly<Record<CostPlatform, Meaning>> = {
  awsLambda: {
    invocations: ["api.invocations", "tick.invocations"],
    billed: ["api", "tick"],
    isShared: false,
    armed: "messages",
  },
  vercel: {
    invocations: ["http.invocations", "wake.invocations"],
    billed: ["http", "wake"],
    isShared: true,
    armed: "messages",
  },
  netlify: {
    invocations: ["http.invocations", "schedule.invocations", "background.invocations"],
    billed: ["http", "schedule", "background"],
    isShared: false,
    armed: "messages",
  },
  cloudflare: {
    invocations: ["object.requests"],
    billed: ["object"],
    isShared: true,
    armed: "setAlarms",
  },
  deno: {
    invocations: ["http.invocations", "self.invocations", "cron.invocations"],
    billed: ["loaded"],
    isShared: true,
    armed: "messages",
  },
  node: { invocations: ["http.invocations"], billed: [], isShared: true, armed: "messages" },
  bun: { invocations: ["http.invocations"], billed: [], isShared: true, armed: "messages" },
};

export interface Meant {
  /** Per workflow, the two requests included. */
  readonly invocations: number;
  readonly billedMs: number;
  /** At once. */
  readonly meanAlive: number;
  /** Of the busiest function. */
  readonly peakAlive: number;
  readonly trips: number;
  /** Without those by which the same application looks for work when it is idle. */
  readonly ownTrips: number;
  readonly armed: number;
}

const HOUR_MS = 3_600_000;

export function toMeant(platform: CostPlatform, figures: Figures, idle: Figures): Meant {
  const { invocations, billed, isShared, armed } = MEANINGS[platform];
  const { counts, alive, windowMs, workflows } = figures;
  const sum = (names: readonly string[], read: (name: string) => number): number =>
    names.reduce((total, name) => total + read(name), 0);
  const { trips = 0 } = counts;
  const looks = ((idle.counts["trips"] ?? 0) * windowMs) / HOUR_MS / workflows;
  const busyMs = (name: string): number => ((alive[name]?.busyShare ?? 0) * windowMs) / workflows;
  return {
    invocations: sum(invocations, (name) => counts[name] ?? 0),
    billedMs: sum(billed, (name) => (isShared ? busyMs(name) : (alive[name]?.sumMs ?? 0))),
    meanAlive: sum(billed, (name) => alive[name]?.[isShared ? "busyShare" : "mean"] ?? 0),
    peakAlive: Math.max(0, ...billed.map((name) => (isShared ? 1 : (alive[name]?.peak ?? 0)))),
    trips,
    ownTrips: Math.max(0, trips - looks),
    armed: counts[armed] ?? 0,
  };
}
