/** What each route says of itself: source of docs/http.md, and of Fragno's clients. The engine's own handler loads none of it. */
import type { ErrorCode } from "../core/errors.ts";
import { description } from "./description-shape.ts";
import { explanation } from "./explanation-shape.ts";
import * as answers from "./answer-shapes.ts";
import * as bulks from "./bulk-shapes.ts";
import type { Route } from "./route.ts";
import type { HttpRoutes, RouteName } from "./route-types.ts";
import type { Shape } from "./value-shapes.ts";

/** What a route says to those who call it. */
export interface RouteReference<Output = unknown> {
  /** One sentence. */
  readonly summary: string;
  /** What the header `Idempotency-Key` names; absent: it is not looked at. */
  readonly idempotent?: string;
  readonly output: Shape<Output>;
  /** Codes that this route answers with, besides COMMON_ERRORS. */
  readonly errors: readonly ErrorCode[];
}

type OutputOf<R> = R extends Route<infer Types> ? Types["output"] : never;

/** Codes that any route may answer with. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "INVARIANT_BROKEN",
];

const instanceErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INSTANCE_NOT_FOUND",
];
const createErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_PARAMS",
  "INVALID_IDEMPOTENCY_KEY",
  "IDEMPOTENCY_KEY_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "INVALID_DURATION",
  "CROSS_SITE_REQUEST",
];

/** A parent is said by its workflow's name and its id. */
const filterErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_WORKFLOW_NAME",
];
const bulkErrors: readonly ErrorCode[] = [...filterErrors, "PAYLOAD_TOO_LARGE"];
const startBulkErrors: readonly ErrorCode[] = [
  ...bulkErrors,
  "CROSS_SITE_REQUEST",
  "BULK_DISABLED",
  "INVALID_IDEMPOTENCY_KEY",
  "IDEMPOTENCY_KEY_CONFLICT",
  "INSTANCE_ID_ALREADY_EXISTS",
];

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

export const ROUTE_REFERENCE: {
  readonly [Name in RouteName]: RouteReference<OutputOf<HttpRoutes[Name]>>;
} = {
  listWorkflows: {
    summary: "The workflows that are registered.",
    output: answers.workflowList,
    errors: [],
  },
  listInstances: {
    summary:
      "Instances of a workflow, newest first, a page at a time: at most 1 MB, large outputs by their size only.",
    output: answers.instanceList,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_CURSOR"],
  },
  findInstances: {
    summary:
      "Instances of all workflows, newest first, by status, tag, id, error code, times and parent (`workflow/id`), and those that are stuck. Lists are given with commas. Where few of those looked at match, `isIncomplete` says so, and `cursor` goes on.",
    output: answers.foundInstances,
    errors: [...filterErrors, "INVALID_CURSOR"],
  },
  countInstances: {
    summary:
      "How many instances of each workflow have each status, of those that a filter lets through, up to a cap: `isCapped` says that there may be more.",
    output: answers.instanceCounts,
    errors: filterErrors,
  },
  previewBulk: {
    summary:
      "What a bulk job would do, without doing it: how many instances it would meet, by workflow and status and up to a cap, the newest of them, and how many it would refuse.",
    output: bulks.bulkPreview,
    errors: bulkErrors,
  },
  startBulk: {
    summary:
      "Begins a bulk job: a command for every instance that is there and matches. One thing at least has to be said of the instances; without `status`, those that the act can be done to.",
    idempotent: "the job: the same request begins it once",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  startBulkDelete: {
    summary: "As `startBulk`, and deletes instances that have ended.",
    idempotent: "the job: the same request begins it once",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  listBulks: {
    summary: "Bulk jobs, newest first, with how far each has come.",
    output: bulks.bulkList,
    errors: ["BULK_DISABLED", "INVALID_CURSOR"],
  },
  getBulk: {
    summary: "A bulk job, and how far it has come.",
    output: bulks.bulkView,
    errors: ["BULK_DISABLED", "INVALID_INSTANCE_ID", "INSTANCE_NOT_FOUND"],
  },
  cancelBulk: {
    summary: "Ends a bulk job behind the chunk that it is at. What is done stays done.",
    output: bulks.bulkView,
    errors: [
      "BULK_DISABLED",
      "INVALID_INSTANCE_ID",
      "INSTANCE_NOT_FOUND",
      "INSTANCE_TERMINAL",
      "CROSS_SITE_REQUEST",
    ],
  },
  createInstance: {
    summary:
      "Starts an instance. An existing id is refused; to run it again, restart it. With `waitMs` it answers once the instance has ended, or after so long.",
    idempotent:
      "the create: with the same params it answers with the instance that the first request made, and without an id the id is made of it",
    output: answers.instanceView,
    errors: [...createErrors, "INSTANCE_ID_ALREADY_EXISTS"],
  },
  createBatch: {
    summary:
      "Starts up to 100 instances, all or none written. Existing ids are left alone and listed in `skipped` only.",
    idempotent: "the batch: what an earlier request created under it counts as created now",
    output: answers.createBatchOutput,
    errors: [...createErrors, "BATCH_TOO_LARGE"],
  },
  getInstance: {
    summary:
      "The state of an instance. With `waitMs`, once it has ended or after so long: `details.status` tells which.",
    output: answers.instanceView,
    errors: instanceErrors,
  },
  deleteInstance: {
    summary:
      "Deletes an instance that has ended, with all its runs and what they have left, and with its children and theirs. `deletedCount` is how many instances went: 0, and no error, where there is none.",
    output: answers.deleteOutput,
    errors: [
      "WORKFLOW_NOT_FOUND",
      "INVALID_INSTANCE_ID",
      "INSTANCE_NOT_ENDED",
      "CROSS_SITE_REQUEST",
    ],
  },
  describeInstance: {
    summary:
      "All that is known of an instance: its state, params, times, next wake and current steps, with what each waits for and which process ran it.",
    output: description,
    errors: instanceErrors,
  },
  explainInstance: {
    summary:
      "Why an instance is not moving: as data, by its cause, and as a sentence that says what to do next. No payloads.",
    output: explanation,
    errors: instanceErrors,
  },
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
  sendEvent: {
    summary: "Sends an event. It is kept until a wait of its type takes it, also while paused.",
    idempotent: "the event, as `eventId` in the body does: it is stored once per run",
    output: answers.eventOutput,
    errors: [
      ...instanceErrors,
      "INSTANCE_TERMINAL",
      "INVALID_EVENT_TYPE",
      "EVENT_UNDECLARED",
      "INVALID_EVENT_PAYLOAD",
      "INVALID_IDEMPOTENCY_KEY",
      "PAYLOAD_TOO_LARGE",
      "CROSS_SITE_REQUEST",
      "EVENT_ID_CONFLICT",
      "EVENT_LIMIT",
    ],
  },
  getReply: {
    summary:
      "What an event was answered with, by the id that its sender gave it. With `waitMs`, once there is a reply or after so long: `answered` tells which.",
    output: answers.replyOutput,
    errors: [...instanceErrors, "INVALID_IDEMPOTENCY_KEY", "EVENT_NOT_FOUND", "EVENT_NOT_ANSWERED"],
  },
  emit: {
    summary:
      "Emits a message to every run that waits for the topic: each gets it once. A message of an id that the topic still knows is emitted no more, and `duplicate` says so.",
    output: answers.emitOutput,
    errors: [
      "TOPIC_NOT_FOUND",
      "INVALID_EVENT_PAYLOAD",
      "INVALID_IDEMPOTENCY_KEY",
      "PAYLOAD_TOO_LARGE",
      "TOPIC_LIMIT",
    ],
  },
  listWaiters: {
    summary:
      "Runs that wait for the topic, of all workflows, those that have waited longest first.",
    output: answers.waiterList,
    errors: ["TOPIC_NOT_FOUND"],
  },
  completeCallback: {
    summary:
      "Ends the wait of a `step.callback` with the body as its payload, once. The URL is what `step.callback` gave, and all that is asked for.",
    output: answers.done,
    errors: [
      "CALLBACK_DISABLED",
      "CALLBACK_INVALID",
      "CALLBACK_USED",
      "CALLBACK_LATE",
      "PAYLOAD_TOO_LARGE",
      "EVENT_LIMIT",
    ],
  },
  listHistory: {
    summary:
      "Steps and events of one run, a page at a time: at most 1 MB, results and payloads above 16 KiB by their size only unless `payloads=full`.",
    output: answers.historyOutput,
    errors: [...instanceErrors, "INVALID_CURSOR"],
  },
  readProgress: {
    summary:
      "What an instance tells of its progress, after the entry of the sequence `after`: a page in JSON, with `waitMs` once there is an entry or the instance has ended. With `accept: text/event-stream` or `application/x-ndjson` the answer goes on while the run does.",
    output: answers.progressOutput,
    errors: instanceErrors,
  },
  tick: {
    summary: "One bounded pass of the runner. Safe to call from many places at once.",
    output: answers.tickOutput,
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED", "CROSS_SITE_REQUEST", "PAYLOAD_TOO_LARGE"],
  },
  tickByGet: {
    summary: "The same, for crons that can only GET.",
    output: answers.tickOutput,
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED", "CROSS_SITE_REQUEST"],
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
