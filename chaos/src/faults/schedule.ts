/** What happens when: a list made of a seed before the run begins. */
import { createRandom, type Random } from "../random.ts";
import type { SubjectFaults } from "../subjects/subject.ts";

/** One thing that is done to the fleet or to the database. */
export type Fault = { readonly atMs: number } & (
  | { readonly kind: "kill"; readonly slot: number; readonly restartMs: number }
  | { readonly kind: "kill-all"; readonly restartMs: number }
  | { readonly kind: "freeze"; readonly slot: number; readonly ms: number }
  | { readonly kind: "jump"; readonly slot: number; readonly seconds: number }
  | { readonly kind: "cut" | "silence" | "mid-request" | "restart" }
  | { readonly kind: "terminate"; readonly share: number }
  | { readonly kind: "disk" | "stall" | "read-only"; readonly ms: number }
);

export interface ScheduleOptions {
  readonly seed: string;
  readonly durationMs: number;
  /** Mean time between two faults. */
  readonly everyMs: number;
  readonly slots: number;
  readonly leaseMs: number;
  /** What the subject can do. */
  readonly faults: Partial<SubjectFaults>;
  /** Slots whose clock can be set. */
  readonly clockSlots: readonly number[];
}

type Maker = (random: Random, options: ScheduleOptions) => Omit<Fault, "atMs">;

/** How often, and how it is made; `needs` is the subject's fault without which it cannot happen. */
interface Row {
  readonly weight: number;
  readonly needs: keyof SubjectFaults | "clock" | null;
  readonly make: Maker;
}

const slot = (random: Random, { slots }: ScheduleOptions): number => random.between(0, slots - 1);
const make = (fault: Omit<Fault, "atMs"> & Record<string, unknown>): Omit<Fault, "atMs"> => fault;

const ROWS: readonly Row[] = [
  {
    weight: 26,
    needs: null,
    make: (random, options) => make({ kind: "kill", slot: slot(random, options), restartMs: 0 }),
  },
  {
    weight: 20,
    needs: null,
    make: (random, options) =>
      make({ kind: "kill", slot: slot(random, options), restartMs: random.between(200, 4000) }),
  },
  {
    weight: 3,
    needs: null,
    make: (random) => make({ kind: "kill-all", restartMs: random.between(0, 2000) }),
  },
  {
    weight: 9,
    needs: null,
    make: (random, options) =>
      make({
        kind: "freeze",
        slot: slot(random, options),
        ms: random.chance(0.3)
          ? random.between(100, 1000)
          : options.leaseMs + random.between(500, 5000),
      }),
  },
  {
    weight: 5,
    needs: "clock",
    make: (random, { clockSlots }) =>
      make({
        kind: "jump",
        slot: random.pick(clockSlots),
        seconds: random.pick([-3600, -60, -5, 5, 60, 3600]),
      }),
  },
  { weight: 10, needs: "cut", make: () => make({ kind: "cut" }) },
  { weight: 4, needs: "silence", make: () => make({ kind: "silence" }) },
  { weight: 4, needs: "silence", make: () => make({ kind: "mid-request" }) },
  {
    weight: 10,
    needs: "terminate",
    make: (random) => make({ kind: "terminate", share: random.pick([0.3, 0.6, 1]) }),
  },
  { weight: 2, needs: "restart", make: () => make({ kind: "restart" }) },
  {
    weight: 2,
    needs: "stall",
    make: (random) => make({ kind: "stall", ms: random.between(500, 4000) }),
  },
  {
    weight: 1,
    needs: "readOnly",
    make: (random) => make({ kind: "read-only", ms: random.between(500, 3000) }),
  },
  {
    weight: 2,
    needs: "fillDisk",
    make: (random) => make({ kind: "disk", ms: random.between(500, 3000) }),
  },
];

/** All faults of a run, in order. */
export function createSchedule(options: ScheduleOptions): readonly Fault[] {
  const random = createRandom(`schedule ${options.seed}`);
  const rows = ROWS.filter(({ needs }) => {
    if (needs === null) return true;
    return needs === "clock" ? options.clockSlots.length > 0 : options.faults[needs] !== undefined;
  });
  const schedule: Fault[] = [];
  for (
    let atMs = 1000;
    atMs < options.durationMs;
    atMs += Math.round(options.everyMs * (0.3 + 1.4 * random.next()))
  ) {
    schedule.push({ atMs, ...weighted(rows, random).make(random, options) } as Fault);
  }
  return schedule;
}

function weighted(rows: readonly Row[], random: Random): Row {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  let place = random.next() * total;
  for (const row of rows) {
    place -= row.weight;
    if (place < 0) return row;
  }
  return rows[0] as Row;
}
