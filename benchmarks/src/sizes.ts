/** How much is measured. */

/** Runs advanced at once, and connections, of both contenders. */
export const CONCURRENCY = 32;
export const CONNECTIONS = 20;

export type SizeName = "tiny" | "quick" | "full";

/** Numbers per round. Every metric is measured in each round, ours and the floor in turn. */
export interface Size {
  /** At most; fewer when `budgetMs` is used up, never fewer than `minRounds`. */
  readonly rounds: number;
  readonly minRounds: number;
  /** For one store, warm-up included, in milliseconds. */
  readonly budgetMs: number;
  /** W1: instances one after another. */
  readonly oneAtATime: number;
  /** W1: instances at once. */
  readonly atOnce: number;
  /** W2: steps of the one instance. */
  readonly sequentialSteps: number;
  /** W3: events. */
  readonly events: number;
  /** W4: sleeps one after another. */
  readonly sleeps: number;
  /** W5: instances, and parallel steps of each. */
  readonly fans: number;
  readonly parallelSteps: number;
}

export const SIZES: Readonly<Record<SizeName, Size>> = {
  tiny: {
    rounds: 1,
    minRounds: 1,
    budgetMs: 10_000,
    oneAtATime: 2,
    atOnce: 20,
    sequentialSteps: 10,
    events: 2,
    sleeps: 1,
    fans: 1,
    parallelSteps: 50,
  },
  quick: {
    rounds: 6,
    minRounds: 3,
    budgetMs: 60_000,
    oneAtATime: 60,
    atOnce: 1000,
    sequentialSteps: 1000,
    events: 30,
    sleeps: 2,
    fans: 15,
    parallelSteps: 50,
  },
  full: {
    rounds: 15,
    minRounds: 10,
    budgetMs: 600_000,
    oneAtATime: 150,
    atOnce: 1000,
    sequentialSteps: 1000,
    events: 60,
    sleeps: 5,
    fans: 30,
    parallelSteps: 50,
  },
};

/** Of `--loop`: positions in a loop and windows of iterations at each, places of a history and rounds of its resumes. */
export const LOOP_SIZES: Readonly<
  Record<
    SizeName,
    {
      readonly loop: { readonly positions: readonly number[]; readonly windows: number };
      readonly places: { readonly places: number; readonly rounds: number };
    }
  >
> = {
  tiny: { loop: { positions: [100, 200], windows: 1 }, places: { places: 100, rounds: 1 } },
  quick: {
    loop: { positions: [1000, 10_000], windows: 20 },
    places: { places: 10_000, rounds: 15 },
  },
  full: {
    loop: { positions: [1000, 10_000, 100_000], windows: 40 },
    places: { places: 10_000, rounds: 31 },
  },
};
