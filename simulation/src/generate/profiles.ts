/** How big and how rough scenarios are, and what their programs are made of. */
import type { ProgramTaste } from "./taste.ts";

/** How big and how rough a scenario is. `replay`: short programs whose runners die at almost every commit. `scopes`: programs of scopes. `rollback`: the same with undo. `ends`: the same, and instances are cancelled, rolled back and called back. `family`: steps start instances, which start others. `batches`: they take events of several types, many at a time, and answer them. `topics`: they wait for topics and emit to them. `deadlines`: runs have deadlines, which are moved, and begin again when they fail. `progress`: they tell of their progress, and readers come and go. `again`: runs are retried, brought back to a step, forked and restarted. `all`: everything at once. */
export const PROFILE_NAMES = [
  "light",
  "middle",
  "heavy",
  "replay",
  "scopes",
  "rollback",
  "ends",
  "family",
  "batches",
  "again",
  "topics",
  "deadlines",
  "progress",
  "all",
] as const;
export type Profile = (typeof PROFILE_NAMES)[number];

/** What a profile says of its scenarios. */
export interface ProfileFacts {
  readonly taste: ProgramTaste;
  readonly instances: readonly [min: number, max: number];
  readonly runners: readonly [min: number, max: number];
  readonly faults: readonly [min: number, max: number];
  /** Calls among which faults are spread. */
  readonly calls: number;
  readonly troubles: readonly [min: number, max: number];
  /** What workflows are made of that steps start. @default there are none */
  readonly kids?: ProgramTaste;
  /** Events of each instance that come beside those for its waits. @default none */
  readonly events?: readonly [min: number, max: number];
  /** Messages that somebody outside emits. @default none */
  readonly messages?: readonly [min: number, max: number];
  /** Who reads the progress of each instance. @default nobody */
  readonly readers?: readonly [min: number, max: number];
  /** Of what streams keep at most, one is chosen. @default as much as the engine says */
  readonly streamEntries?: readonly number[];
  /** How often somebody lets each instance go on, or begin, again. @default never */
  readonly again?: readonly [min: number, max: number];
  /** How often the deadline of each instance is moved. @default never */
  readonly moves?: readonly [min: number, max: number];
  /** Some workflows begin again when a run of theirs has failed. @default none do */
  readonly runRetries?: boolean;
  /** Requests to end, of each instance. @default none */
  readonly ends?: readonly [min: number, max: number];
  readonly calmAt: number;
  readonly pollMs: readonly number[];
}

const PLAIN: ProgramTaste = {
  length: [1, 4],
  nesting: 1,
  failures: true,
  heals: false,
  children: false,
  loops: true,
  slow: false,
  poison: false,
  scopes: false,
  rollbacks: false,
  undone: 0.6,
  cleanups: false,
  batches: false,
  topics: [],
  deadlines: false,
  invokes: [],
};

/** By name. */
export const PROFILES: Readonly<Record<Profile, ProfileFacts>> = {
  light: {
    taste: PLAIN,
    instances: [1, 2],
    runners: [1, 2],
    faults: [0, 5],
    calls: 30,
    troubles: [0, 2],
    calmAt: 30_000,
    pollMs: [20_000],
  },
  middle: {
    taste: { ...PLAIN, nesting: 2, children: true, slow: true },
    instances: [1, 4],
    runners: [1, 3],
    faults: [0, 12],
    calls: 80,
    troubles: [0, 5],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  heavy: {
    taste: { ...PLAIN, length: [2, 7], nesting: 3, children: true, slow: true },
    instances: [3, 12],
    runners: [2, 4],
    faults: [5, 60],
    calls: 500,
    troubles: [2, 15],
    calmAt: 180_000,
    pollMs: [2000, 5000, 20_000],
  },
  replay: {
    taste: { ...PLAIN, nesting: 2, loops: true },
    instances: [1, 1],
    runners: [1, 1],
    faults: [6, 12],
    calls: 24,
    troubles: [0, 0],
    calmAt: 150_000,
    pollMs: [30_000],
  },
  scopes: {
    taste: { ...PLAIN, length: [1, 3], nesting: 3, children: true, scopes: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [0, 10],
    calls: 60,
    troubles: [0, 4],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  rollback: {
    taste: { ...PLAIN, length: [2, 4], nesting: 2, slow: true, scopes: true, rollbacks: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 14],
    calls: 50,
    troubles: [0, 4],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  ends: {
    taste: {
      ...PLAIN,
      length: [2, 4],
      nesting: 3,
      children: true,
      slow: true,
      scopes: true,
      rollbacks: true,
      cleanups: true,
    },
    instances: [1, 3],
    runners: [1, 3],
    faults: [2, 16],
    calls: 60,
    troubles: [0, 4],
    ends: [0, 2],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  family: {
    taste: {
      ...PLAIN,
      length: [1, 3],
      nesting: 2,
      slow: true,
      scopes: true,
      rollbacks: true,
      undone: 0.2,
      cleanups: true,
      invokes: ["kid", "kid", "grandkid"],
    },
    kids: {
      ...PLAIN,
      length: [1, 3],
      nesting: 1,
      rollbacks: true,
      undone: 0.1,
      invokes: ["grandkid"],
    },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 16],
    calls: 80,
    troubles: [0, 4],
    ends: [0, 2],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  batches: {
    taste: { ...PLAIN, length: [2, 4], nesting: 2, scopes: true, batches: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 16],
    calls: 80,
    troubles: [0, 3],
    events: [3, 14],
    ends: [0, 1],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  topics: {
    taste: {
      ...PLAIN,
      length: [2, 4],
      nesting: 2,
      scopes: true,
      cleanups: true,
      topics: ["news", "jobs"],
    },
    instances: [2, 6],
    runners: [1, 3],
    faults: [2, 20],
    calls: 120,
    troubles: [0, 3],
    messages: [2, 10],
    ends: [0, 1],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  deadlines: {
    taste: {
      ...PLAIN,
      length: [1, 4],
      nesting: 2,
      slow: true,
      heals: true,
      scopes: true,
      rollbacks: true,
      undone: 0.25,
      cleanups: true,
      deadlines: true,
      invokes: ["kid", "kid", "grandkid"],
    },
    kids: { ...PLAIN, length: [1, 3], nesting: 1, rollbacks: true, undone: 0.1, cleanups: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 16],
    calls: 80,
    troubles: [0, 4],
    moves: [0, 3],
    runRetries: true,
    ends: [0, 1],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  progress: {
    taste: {
      ...PLAIN,
      length: [2, 5],
      nesting: 2,
      slow: true,
      scopes: true,
      heals: true,
      rollbacks: true,
      undone: 0.2,
      cleanups: true,
      progress: true,
    },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 24],
    calls: 120,
    troubles: [0, 4],
    readers: [1, 2],
    streamEntries: [3, 10, 10_000],
    ends: [0, 2],
    again: [0, 3],
    runRetries: true,
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  all: {
    taste: {
      ...PLAIN,
      length: [2, 4],
      nesting: 2,
      children: true,
      slow: true,
      scopes: true,
      rollbacks: true,
      undone: 0.2,
      cleanups: true,
      batches: true,
      topics: ["news", "jobs"],
      progress: true,
      deadlines: true,
      invokes: ["kid", "grandkid"],
    },
    kids: {
      ...PLAIN,
      length: [1, 3],
      nesting: 1,
      scopes: true,
      rollbacks: true,
      undone: 0.1,
      topics: ["news", "jobs"],
      progress: true,
      invokes: ["grandkid"],
    },
    instances: [1, 3],
    runners: [1, 3],
    faults: [2, 20],
    calls: 120,
    troubles: [0, 4],
    events: [0, 6],
    messages: [0, 6],
    readers: [0, 2],
    streamEntries: [3, 10, 10_000],
    ends: [0, 2],
    again: [0, 2],
    moves: [0, 1],
    runRetries: true,
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  again: {
    taste: { ...PLAIN, length: [2, 4], nesting: 2, heals: true, scopes: true, batches: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 16],
    calls: 80,
    troubles: [0, 3],
    events: [0, 6],
    again: [1, 5],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
};
