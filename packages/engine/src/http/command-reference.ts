/** Reference texts for the routes of commands: part of `route-reference.ts`. */
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import * as answers from "./answer-shapes.ts";
import {
  createErrors,
  instanceErrors,
  type ReferenceOf,
  type RouteReference,
} from "./reference-entry.ts";

const rewindErrors: readonly ErrorCode[] = [
  ...instanceErrors,
  "STEP_NOT_FOUND",
  "STEP_PASSED",
  "RUN_UNDONE",
  "RUN_NUMBER_MISMATCH",
  "STATUS_MISMATCH",
  "INVALID_IDEMPOTENCY_KEY",
  "PAYLOAD_TOO_LARGE",
  "CROSS_SITE_REQUEST",
];

type CommandRoute =
  `${LifecycleCommand | "restartOrCreate" | "rewind" | "fork" | "update"}Instance`;

export const COMMAND_REFERENCE: ReferenceOf<CommandRoute> = {
  pauseInstance: control("Pauses an instance at its next step boundary.", "INSTANCE_TERMINAL"),
  resumeInstance: control(
    "Resumes a paused instance, or takes back a pause not yet carried out; otherwise changes nothing.",
  ),
  cancelInstance: control(
    "Asks an instance to end: its steps throw, its code may clean up, then it is terminated.",
    "INSTANCE_TERMINAL",
  ),
  terminateInstance: control(
    "Ends an instance for good, unless restarted: at once, or with `rollback=true` when what it has done is undone.",
    "INSTANCE_TERMINAL",
  ),
  restartInstance: control("Starts a new run; earlier runs are kept."),
  retryInstance: control(
    "Lets a run that failed go on from the steps that failed it; what completed does not run again.",
    "INSTANCE_NOT_ERRORED",
  ),
  restartOrCreateInstance: {
    summary:
      "Creates the instance, or restarts the one that has the id with these params, if it is at the run of `ifRunNumber` and in a status of `ifStatus`.",
    idempotent: "the call: sent again, it neither creates nor restarts a second time",
    output: answers.restartOrCreateOutput,
    errors: createErrors,
  },
  rewindInstance: {
    summary:
      "Brings the run back to the step whose key is `step`: it runs again, and all that settled with it or later; what settled before stays.",
    idempotent: "the command: sent again, if no other came between, it changes nothing",
    output: answers.controlOutput,
    errors: rewindErrors,
  },
  forkInstance: {
    summary:
      "Creates an instance that begins with a copy of the steps that settled before the step whose key is `step`. For those who may manage, create and read.",
    idempotent:
      "the fork: with the same step and params it answers with the instance that the first request made, and without an id the id is made of it",
    output: answers.instanceView,
    errors: [
      ...rewindErrors,
      "INVALID_PARAMS",
      "IDEMPOTENCY_KEY_CONFLICT",
      "INSTANCE_ID_ALREADY_EXISTS",
    ],
  },
  updateInstance: {
    summary:
      "Changes deadline, tags or memo of an instance, whatever it does; a deadline only of one that has not ended. What is absent stays, and null takes away.",
    idempotent: "the command: sent again, if no other came between, it changes nothing",
    output: answers.controlOutput,
    errors: [
      ...instanceErrors,
      "INSTANCE_TERMINAL",
      "DEADLINE_EXCEEDED",
      "RUN_NUMBER_MISMATCH",
      "STATUS_MISMATCH",
      "INVALID_DURATION",
      "INVALID_IDEMPOTENCY_KEY",
      "PAYLOAD_TOO_LARGE",
      "CROSS_SITE_REQUEST",
    ],
  },
};

function control(
  summary: string,
  ...errors: readonly ErrorCode[]
): RouteReference<answers.ControlOutput> {
  return {
    summary,
    idempotent: "the command: sent again, if no other came between, it changes nothing",
    output: answers.controlOutput,
    errors: [
      ...instanceErrors,
      "CROSS_SITE_REQUEST",
      "INVALID_IDEMPOTENCY_KEY",
      "RUN_NUMBER_MISMATCH",
      ...errors,
    ],
  };
}
