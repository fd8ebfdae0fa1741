/** The closed sets of words for states and kinds; see README.md beside this file for their meaning. */

/** States of an instance. `unknown` exists only in the public API type and is never stored. */
export const INSTANCE_STATUSES = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
  "paused",
  "complete",
  "errored",
  "terminated",
] as const;

export type InstanceStatusName = (typeof INSTANCE_STATUSES)[number];

/** States in which an instance never advances again, unless restarted or retried. */
export const TERMINAL_STATUSES: readonly InstanceStatusName[] = [
  "complete",
  "errored",
  "terminated",
];

export const isTerminal = (status: InstanceStatusName): boolean =>
  TERMINAL_STATUSES.includes(status);

/** States in which an instance has not ended. */
export const NON_TERMINAL_STATUSES: readonly InstanceStatusName[] = INSTANCE_STATUSES.filter(
  (status) => !isTerminal(status),
);

/**
 * States of a step. `running`: its body has started, or its loop is under way; `waiting`: for time, an event or its next attempt. The
 * last three change only by `retry`. `cancelled`: it lost a race, or the branch that called it ended without it.
 */
export const STEP_STATUSES = [
  "pending",
  "running",
  "waiting",
  "completed",
  "errored",
  "cancelled",
] as const;

export type StepStatus = (typeof STEP_STATUSES)[number];

/**
 * Kinds of steps. Scopes have steps of their own: join, race, map, loop. `version`: which code a run follows. `invoke`: a child.
 * `reply`: an event that a step took was answered; the event's row has the answer. `emit`: a message was emitted to a topic.
 * `progress`: an entry was added to the instance's stream.
 */
export const STEP_TYPES = [
  "do",
  "sleep",
  "waitForEvent",
  "receive",
  "reply",
  "join",
  "race",
  "map",
  "loop",
  "version",
  "invoke",
  "waitForTopic",
  "emit",
  "progress",
] as const;

export type StepType = (typeof STEP_TYPES)[number];

/** The types of steps that contain other steps. */
export const SCOPE_TYPES: readonly StepType[] = ["join", "race", "map", "loop"];

export const isScope = ({ type }: { readonly type: StepType }): boolean =>
  SCOPE_TYPES.includes(type);

/** Whether a step of the type waits for events. */
export const isEventWait = (type: StepType): boolean =>
  type === "waitForEvent" || type === "receive" || type === "waitForTopic";

/** Why the runner should look at an instance. `run` starts; the next three resume; `gc` is reserved. */
export type TaskKind = "run" | "resume" | "retry" | "wake" | "gc";
