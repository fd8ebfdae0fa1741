/** The errors of refused calls, and of runs that call too much or too little. Loaded with the first of them. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { StepType } from "../core/model/status.ts";
import type { RunRef } from "../core/model/records.ts";

/** A `step.do` without a body, or with arguments after it. */
export function bodyNotLast(stepKey: string, options: unknown, body: unknown): WorkflowError {
  const given = (options === undefined ? [] : [typeof options]).concat(
    body === undefined ? [] : typeof body,
  );
  return new WorkflowError(
    "INVALID_SCOPE",
    `step.do "${stepKey}" expected a body, or options and then a body; got ${given.join(" and then ") || "neither"}`,
    { stepKey, kind: "do" },
  );
}

/** What `assertKnownOptions` says of options that it refuses. */
export function unknownOption(of: string, given: object | undefined, known: object): WorkflowError {
  try {
    assertKnownOptions(of, given, known);
  } catch (error) {
    return error as WorkflowError;
  }
  return new WorkflowError("UNKNOWN_OPTION", `${of} has an unknown option`);
}

/** Only one of two arguments was given, and it was taken as the name. */
export const sleepWithoutDuration = (): WorkflowError =>
  new WorkflowError(
    "INVALID_DURATION",
    "step.sleep takes a name and then a duration; got one of them",
    { what: "sleep duration" },
  );

export const sleepOfDate = (): WorkflowError =>
  new WorkflowError(
    "INVALID_DURATION",
    "step.sleep takes a duration; for a Date, use step.sleepUntil",
    { what: "sleep duration" },
  );

export const sleepTooLong = (durationMs: number, maxSleepMs: number): WorkflowError =>
  new WorkflowError(
    "INVALID_DURATION",
    `a sleep of ${showMs(durationMs)} is longer than the limit of ${showMs(maxSleepMs)}`,
    { durationMs, maxSleepMs },
  );

export const timeoutOutside = (timeoutMs: number, min: number, max: number): WorkflowError =>
  new WorkflowError(
    "INVALID_DURATION",
    `an event timeout of ${showMs(timeoutMs)} is outside ${showMs(min)} to ${showMs(max)}`,
    { timeoutMs, min, max },
  );

export const diverged = (
  stepKey: string,
  recorded: StepType,
  called: StepType | null,
): WorkflowError =>
  new WorkflowError(
    "HISTORY_DIVERGED",
    `step "${stepKey}" is ${called ?? "try"} in the code but ${recorded} in history; ` +
      `the code has changed, or what it does depends on chance or the time`,
    { stepKey, recorded, called: called ?? "try" },
  );

export const tooManySteps = (maxStepsPerRun: number): WorkflowError =>
  new WorkflowError("RUN_STEP_LIMIT", `the run has more than ${maxStepsPerRun} steps`, {
    maxStepsPerRun,
  });

export const spinning = (maxIdleCalls: number): WorkflowError =>
  new WorkflowError(
    "RUN_SPINNING",
    `the workflow made ${maxIdleCalls} calls of steps in a row that were refused or repeated; ` +
      `a loop must settle something new`,
    { maxIdleCalls },
  );

/** A run waits for something that is not a step. */
export const outsideStep = (run: RunRef): WorkflowError =>
  new WorkflowError(
    "AWAIT_OUTSIDE_STEP",
    "the workflow awaits something that is not a step; put it into step.do",
    { ...run },
  );

const UNITS = [
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
  { name: "second", ms: 1000 },
];

/** A duration in the largest unit that gives a whole number. */
function showMs(durationMs: number): string {
  const unit = UNITS.find(({ ms }) => durationMs >= ms && durationMs % ms === 0);
  if (unit === undefined) return `${durationMs} ms`;
  const count = durationMs / unit.ms;
  return `${count} ${unit.name}${count === 1 ? "" : "s"}`;
}
