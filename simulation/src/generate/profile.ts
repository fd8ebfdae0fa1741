/** What profiles there are of scenarios, and what each of them says. */
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
