/** The closed sets of words for states and kinds; see README.md beside this file for their meaning. */

/** States of an instance. `unknown` exists only in the public API type and is never stored. */
export const INSTANCE_STATUSES: readonly [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
  "paused",
  "complete",
  "errored",
  "terminated",
] = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
  "paused",
  "complete",
  "errored",
  "terminated",
];

export type InstanceStatusName = (typeof INSTANCE_STATUSES)[number];

/** States in which an instance never advances again, unless restarted. */
export const TERMINAL_STATUSES: readonly InstanceStatusName[] = [
  "complete",
  "errored",
  "terminated",
];

export const isTerminal = (status: InstanceStatusName): boolean =>
  TERMINAL_STATUSES.includes(status);

/** `running`: its body was started; `waiting`: for time, an event or its next attempt. The last two never change. */
export type StepStatus = "pending" | "running" | "waiting" | "completed" | "errored";

export type StepType = "do" | "sleep" | "waitForEvent";

/** Why the runner should look at an instance. `run` starts; the next three resume; `gc` is reserved. */
export type TaskKind = "run" | "resume" | "retry" | "wake" | "gc";
