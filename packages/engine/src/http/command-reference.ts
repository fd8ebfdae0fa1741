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
  "IDEMPOTENCY_KEY_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "CROSS_SITE_REQUEST",
];

type CommandRoute =
  `${LifecycleCommand | "restartOrCreate" | "rewind" | "fork" | "update"}Instance`;

export const COMMAND_REFERENCE: ReferenceOf<CommandRoute> = {
  pauseInstance: control("Pauses an instance at its next step boundary.", "INSTANCE_TERMINAL"),
  resumeInstance: control(
    "Resumes a paused instance, or cancels a pause that has not taken effect; otherwise changes nothing.",
  ),
  cancelInstance: control(
    "Asks an instance to end: its steps throw, its code may clean up, then it is terminated.",
    "INSTANCE_TERMINAL",
  ),
  terminateInstance: control(
    "Terminates an instance, which stays ended unless it is restarted: at once, or with `rollback=true` once its steps are undone.",
    "INSTANCE_TERMINAL",
  ),
  restartInstance: control("Starts a new run; earlier runs are kept."),
  retryInstance: control(
    "Continues a failed run with the steps that failed it; completed steps do not run again. With `from`, the key of a step, that step and everything that settled with it or later runs again, with the same idempotency keys.",
    "INSTANCE_NOT_ERRORED",
    "STEP_NOT_FOUND",
    "STEP_PASSED",
    "RUN_UNDONE",
    "IDEMPOTENCY_KEY_CONFLICT",
  ),
  restartOrCreateInstance: {
    summary:
      "Creates the instance, or restarts the one with that id with these params, if its run is `ifRunNumber` and its status is one of `ifStatus`.",
    idempotent: "the call: sent again, it neither creates nor restarts a second time",
    output: answers.restartOrCreateOutput,
    errors: createErrors,
  },
  rewindInstance: {
    summary:
      "Rewinds the run to the step whose key is `step`: that step and everything that settled with it or later runs again; what settled before stays.",
    idempotent: "the command: a repeat changes nothing, unless another command came in between",
    output: answers.controlOutput,
    errors: rewindErrors,
  },
  forkInstance: {
    summary:
      "Creates an instance that begins with a copy of the steps that settled before the step whose key is `step`. The caller must be allowed to manage, create and read.",
    idempotent:
      "the fork: a repeat with the same step and params returns the instance that the first request created; without an `id`, the id is derived from the key",
    output: answers.instanceView,
    errors: [...rewindErrors, "INVALID_PARAMS", "INSTANCE_ID_ALREADY_EXISTS"],
  },
  updateInstance: {
    summary:
      "Changes the deadline, tags or memo of an instance in any status; the deadline only if it has not ended. Absent fields stay as they are, and null removes a value.",
    idempotent: "the command: a repeat changes nothing, unless another command came in between",
    output: answers.controlOutput,
    errors: [
      ...instanceErrors,
      "INSTANCE_TERMINAL",
      "DEADLINE_EXCEEDED",
      "RUN_NUMBER_MISMATCH",
      "STATUS_MISMATCH",
      "INVALID_DURATION",
      "INVALID_IDEMPOTENCY_KEY",
      "IDEMPOTENCY_KEY_CONFLICT",
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
    idempotent: "the command: a repeat changes nothing, unless another command came in between",
    output: answers.controlOutput,
    errors: [
      ...instanceErrors,
      "CROSS_SITE_REQUEST",
      "INVALID_IDEMPOTENCY_KEY",
      "RUN_NUMBER_MISMATCH",
      "STATUS_MISMATCH",
      ...errors,
    ],
  };
}
