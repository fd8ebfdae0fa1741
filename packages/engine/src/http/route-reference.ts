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
      "Instances of a workflow, newest first, in pages of at most 1 MB. Of large outputs, only the size is given.",
    output: answers.instanceList,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_CURSOR"],
  },
  findInstances: {
    summary:
      "Instances of all workflows, newest first, by status, tag, id, error code, times and parent (`workflow/id`), or only those that are stuck. Separate the values of a list by commas. If the search stops before a page is full, `isIncomplete` says so, and `cursor` continues it.",
    output: answers.foundInstances,
    errors: [...filterErrors, "INVALID_CURSOR"],
  },
  countInstances: {
    summary:
      "How many of the instances that match a filter have each status, by workflow and up to a cap: `isCapped` says that there may be more.",
    output: answers.instanceCounts,
    errors: filterErrors,
  },
  measureActivity: {
    summary:
      "How many instances were created, completed and failed over time, in buckets; how long they waited for their first claim; how late waits continued after what they waited for (in a sample of 60 instances); and what is due now. It covers the newest 1500 instances: if there are more, `lookedFrom` is the time from which all are counted.",
    output: overviews.activity,
    errors: ["WORKFLOW_NOT_FOUND"],
  },
  listLeases: {
    summary:
      "Which processes hold which runs, and until when. Leases that end first come first, so expired leases are at the top.",
    output: overviews.leases,
    errors: ["WORKFLOW_NOT_FOUND"],
  },
  listCallbacks: {
    summary:
      "Open callbacks that runs wait for, of the oldest instances first, without their tokens. If the search stops before a page is full, `isIncomplete` says so, and `cursor` continues it.",
    output: overviews.callbacks,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_CURSOR"],
  },
  createInstance: {
    summary:
      "Starts an instance. An existing id is refused; to run it again, restart it. With `waitMs`, it answers when the instance has ended or that time has passed.",
    idempotent:
      "the create: a repeat with the same params returns the instance that the first request created; without an `id`, the id is derived from the key",
    output: answers.instanceView,
    errors: [...createErrors, "INSTANCE_ID_ALREADY_EXISTS", "WAIT_LIMIT", "ENGINE_CLOSED"],
  },
  createBatch: {
    summary:
      "Starts up to 100 instances, all or none written. Existing instances are left alone, and only `skipped` lists their ids.",
    idempotent:
      "the batch: what an earlier request created under it counts as created now, and of an output of more than 16 KiB you get only its size",
    output: answers.createBatchOutput,
    errors: [...createErrors, "BATCH_TOO_LARGE"],
  },
  getInstance: {
    summary:
      "The state of an instance. With `waitMs`, it answers when the instance has ended or that time has passed; `details.status` says which.",
    output: answers.instanceView,
    errors: [...instanceErrors, "WAIT_LIMIT", "ENGINE_CLOSED"],
  },
  deleteInstance: {
    summary:
      "Deletes an instance that has ended, with all its runs and their rows, its children and theirs. `deletedCount` is how many instances this call deleted; an instance that does not exist gives 0, not an error. A large family is deleted in chunks, the instance last; repeat a call that was cut short, without `ifRunNumber`, and it continues.",
    output: answers.deleteOutput,
    errors: [
      "WORKFLOW_NOT_FOUND",
      "INVALID_INSTANCE_ID",
      "INSTANCE_NOT_ENDED",
      "RUN_NUMBER_MISMATCH",
      "STATUS_MISMATCH",
      "CROSS_SITE_REQUEST",
    ],
  },
  describeInstance: {
    summary:
      "Everything about an instance: its state, params, times, next wake and current steps, with what each waits for and which process ran it.",
    output: description,
    errors: instanceErrors,
  },
  explainInstance: {
    summary:
      "Why an instance is not moving: its cause as data, and a sentence that says what to do next. Without payloads.",
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
      "RUN_NUMBER_MISMATCH",
      "STATUS_MISMATCH",
    ],
  },
  getReply: {
    summary:
      "The reply to an event, by the id that its sender gave it. With `waitMs`, it answers when there is a reply or that time has passed; `answered` says which.",
    output: answers.replyOutput,
    errors: [
      ...instanceErrors,
      "INVALID_IDEMPOTENCY_KEY",
      "EVENT_NOT_FOUND",
      "EVENT_NOT_ANSWERED",
      "WAIT_LIMIT",
      "ENGINE_CLOSED",
    ],
  },
  emit: {
    summary:
      "Emits a message to every run that waits for the topic; each gets it once. If the topic still has the message, with the same id, nothing is emitted, and `duplicate` says so; another payload with that id is refused.",
    output: answers.emitOutput,
    errors: [
      "TOPIC_NOT_FOUND",
      "INVALID_EVENT_PAYLOAD",
      "INVALID_IDEMPOTENCY_KEY",
      "PAYLOAD_TOO_LARGE",
      "EVENT_ID_CONFLICT",
      "TOPIC_LIMIT",
    ],
  },
  listWaiters: {
    summary: "Runs of all workflows that wait for the topic, the longest wait first.",
    output: answers.waiterList,
    errors: ["TOPIC_NOT_FOUND"],
  },
  completeCallback: {
    summary:
      "Ends the wait of a `step.callback`, once, with the body as its payload. The URL that `step.callback` gave is the only credential needed.",
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
      "Steps and events of one run, in pages of at most 1 MB. Of results and payloads above 16 KiB, only the size is given unless `payloads=full`.",
    output: answers.historyOutput,
    errors: [...instanceErrors, "INVALID_CURSOR"],
  },
  readProgress: {
    summary:
      "The progress entries of an instance after sequence `after`, a page in JSON. With `waitMs`, it answers when there is an entry, or the instance has ended, or that time has passed. With `accept: text/event-stream` or `application/x-ndjson`, it streams until the instance ends.",
    output: answers.progressOutput,
    errors: [...instanceErrors, "WAIT_LIMIT", "ENGINE_CLOSED"],
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
