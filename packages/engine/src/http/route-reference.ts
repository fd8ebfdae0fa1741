/** The reference text of each route: the source of docs/http.md, and of Fragno's clients. The engine's own handler does not load it. */
import { description } from "./description-shape.ts";
import { explanation } from "./explanation-shape.ts";
import * as answers from "./answer-shapes.ts";
import { BULK_REFERENCE } from "./bulk-reference.ts";
import { COMMAND_REFERENCE } from "./command-reference.ts";
import * as overviews from "./overview-shapes.ts";
import { createErrors, filterErrors, instanceErrors, type ReferenceOf } from "./reference-entry.ts";
import type { RouteName } from "./route-types.ts";

export const ROUTE_REFERENCE: ReferenceOf<RouteName> = {
  ...BULK_REFERENCE,
  ...COMMAND_REFERENCE,
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
  measureActivity: {
    summary:
      "How many instances were created, ended and failed over time, in buckets, how long they had waited for their first claim, how late waits went on after what they waited for (of a sample of 60 instances), and what is due now. Of the newest 1500 instances: where there are more, `lookedFrom` says from when on all were looked at.",
    output: overviews.activity,
    errors: ["WORKFLOW_NOT_FOUND"],
  },
  listLeases: {
    summary:
      "Which processes hold which runs now, and until when: what ends first comes first, so that leases that are over come before all others.",
    output: overviews.leases,
    errors: ["WORKFLOW_NOT_FOUND"],
  },
  listCallbacks: {
    summary:
      "Callbacks that runs wait for and that nobody has used, of the oldest instances first, without their tokens. Where few of the instances looked at have one, `isIncomplete` says so, and `cursor` goes on.",
    output: overviews.callbacks,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_CURSOR"],
  },
  createInstance: {
    summary:
      "Starts an instance. An existing id is refused; to run it again, restart it. With `waitMs` it answers once the instance has ended, or after so long.",
    idempotent:
      "the create: with the same params it answers with the instance that the first request made, and without an id the id is made of it",
    output: answers.instanceView,
    errors: [...createErrors, "INSTANCE_ID_ALREADY_EXISTS", "WAIT_LIMIT"],
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
    errors: [...instanceErrors, "WAIT_LIMIT"],
  },
  deleteInstance: {
    summary:
      "Deletes an instance that has ended, with all its runs and what they have left, and with its children and theirs. `deletedCount` is how many instances this call took: 0, and no error, where there is none. A large family goes in chunks, the instance last; a call that was cut short is repeated, and goes on.",
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
    errors: [
      ...instanceErrors,
      "INVALID_IDEMPOTENCY_KEY",
      "EVENT_NOT_FOUND",
      "EVENT_NOT_ANSWERED",
      "WAIT_LIMIT",
    ],
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
    errors: [...instanceErrors, "WAIT_LIMIT"],
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
