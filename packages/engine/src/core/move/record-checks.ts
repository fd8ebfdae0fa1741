/** The valid contents of an export's lines. A member of a record without a check here does not compile. */
import { attempt } from "../attempt.ts";
import { MAX_CAUSE_DEPTH, MAX_RECORD_BYTES } from "../error-record.ts";
import { utf8Size } from "../plain-codec.ts";
import { MAX_FAILED_ATTEMPTS } from "../failed-attempts.ts";
import { ID_PATTERN, type Limits } from "../limits.ts";
import type { ErrorRecord } from "../model/records.ts";
import { STEP_STATUSES, STEP_TYPES } from "../model/status.ts";
import {
  requestedInstant,
  type Check,
  exactly,
  instant,
  integer,
  invalidRecord,
  isObject,
  json,
  list,
  anyText,
  nullable,
  object,
  oneOf,
  orAbsent,
  plainObject,
  text,
} from "./fields.ts";
import {
  type ExportEnd,
  type ExportHeader,
  FORMAT,
  FORMAT_VERSION,
  MAX_WORKFLOWS,
} from "./format.ts";
import type { MovedEntry, MovedEvent, MovedInstance, MovedStep } from "./records.ts";

/** A value of a 31-bit column. */
const count = integer(0, 2_147_483_647);
const number = integer(1, 2_147_483_647);
/** Twice the longest path that step calls can have. */
const stepKey = text(2048);
const rowId = text(30, /^[\w-]+$/u);
/** The engine's own types and ids contain a step key. */
const eventText = text(4096);

/** Checks of the lines of one file. */
export interface RecordChecks {
  readonly header: Check<ExportHeader>;
  readonly instance: Check<MovedInstance>;
  readonly step: Check<MovedStep>;
  readonly event: Check<MovedEvent>;
  readonly progress: Check<MovedEntry>;
  readonly end: Check<ExportEnd>;
}

/** @param limits the importing engine's; names, ids and tags must be within them */
export function createRecordChecks(limits: Limits): RecordChecks {
  const workflowName = text(limits.maxWorkflowNameLength);
  const instanceId = text(limits.maxInstanceIdLength, ID_PATTERN);
  return {
    ...plainChecks,
    header: object({
      kind: exactly("header"),
      format: exactly(FORMAT),
      version: exactly(FORMAT_VERSION),
      exportId: text(40, /^[\w-]{8,}$/u),
      exportedAt: instant,
      root: object({ workflowName, instanceId }),
      workflows: list(workflowName, MAX_WORKFLOWS),
    }),
    instance: object({
      kind: exactly("instance"),
      workflowName,
      instanceId,
      runNumber: number,
      status: oneOf("paused", "complete", "errored", "terminated"),
      params: nullable(json),
      output: nullable(json),
      error: nullable(errorRecord()),
      diverged: list(divergedStep, 10),
      pauseRequested: exactly(false),
      endRequested: nullable(oneOf("cancel", "rollback", "terminate", "deadline")),
      parent: nullable(
        object({
          workflowName,
          instanceId,
          runNumber: number,
          stepKey,
          onParentEnd: oneOf("abandon", "terminate", "rollback"),
        }),
      ),
      forkedFrom: nullable(object({ instanceId, runNumber: number, stepKey })),
      retryCount: count,
      deadlineAt: nullable(instant),
      tags: list(text(limits.maxTagLength), limits.maxTags),
      memo: nullable(json),
      createdAt: instant,
      updatedAt: instant,
      startedAt: nullable(instant),
      completedAt: nullable(instant),
      controlKey: nullable(text(1024)),
      keyNumber: nullable(number),
      traceContext: orAbsent(text(55)),
    }),
    step: object({ ...stepShape, name: text(limits.maxStepNameLength) }),
  };
}

const exactlyNull: Check<null> = (value, field) => {
  if (value !== null) throw invalidRecord(field, "null", value);
  return null;
};

const divergedStep = object({
  kind: oneOf("notCalled", "eventTypeChanged"),
  stepKey,
  recorded: nullable(eventText),
  called: nullable(eventText),
});

const detail = { details: nullable(plainObject), stack: nullable(anyText(16_384)) };

/** An error as `toErrorRecord` makes it, and not larger. @param depth how many causes deep it may be */
function errorRecord(depth: number = MAX_CAUSE_DEPTH): Check<ErrorRecord> {
  const cause: Check<ErrorRecord | null> = (value, field) =>
    value === null || depth === 0
      ? exactlyNull(value, field)
      : errorRecord(depth - 1)(value, field);
  const shape = {
    name: text(512),
    message: anyText(16_384),
    code: nullable(text(512)),
    ...detail,
    cause,
  };
  const plain = object(shape);
  const ofStep = object({ ...shape, failedStep: stepKey });
  return (value, field) => {
    const isOfStep = isObject(value) && Object.hasOwn(value, "failedStep");
    const record =
      isOfStep && depth === MAX_CAUSE_DEPTH ? ofStep(value, field) : plain(value, field);
    const sizeBytes = attempt(() => utf8Size(JSON.stringify(record)), Infinity);
    if (sizeBytes > 2 * MAX_RECORD_BYTES)
      throw invalidRecord(field, `${2 * MAX_RECORD_BYTES} bytes at most`);
    return record;
  };
}

const runner = anyText(100);

const attemptsKept = list(
  object({
    attempt: count,
    startedAt: nullable(instant),
    endedAt: nullable(instant),
    runner: nullable(runner),
    error: nullable(object({ name: anyText(200), message: anyText(400) })),
  }),
  MAX_FAILED_ATTEMPTS,
);

/** A text, as in a step's row. */
const failedAttempts: Check<string> = (value, field) => {
  const kept = json(value, field);
  attemptsKept(JSON.parse(kept), field);
  return kept;
};

const stepShape = {
  kind: exactly("step"),
  id: rowId,
  runNumber: number,
  stepKey,
  name: text(256),
  type: oneOf(...STEP_TYPES),
  status: oneOf(...STEP_STATUSES),
  attempts: count,
  lostAttempts: count,
  maxAttempts: count,
  timeoutMs: nullable(integer(0)),
  nextRetryAt: nullable(instant),
  wakeAt: nullable(requestedInstant),
  waitEventType: nullable(text(65_536)),
  result: nullable(json),
  error: nullable(errorRecord()),
  settledOrder: nullable(number),
  version: count,
  createdAt: instant,
  updatedAt: instant,
  startedKeys: nullable(json),
  attemptStartedAt: nullable(instant),
  runner: nullable(runner),
  failedAttempts: nullable(failedAttempts),
};

const plainChecks = {
  event: object({
    kind: exactly("event"),
    id: rowId,
    runNumber: number,
    sequence: integer(1),
    type: eventText,
    payload: nullable(json),
    eventId: nullable(eventText),
    createdAt: instant,
    deliveredAt: nullable(instant),
    consumedByStepKey: nullable(stepKey),
    reply: nullable(json),
    traceContext: orAbsent(text(55)),
  }),
  progress: object({
    kind: exactly("progress"),
    sequence: number,
    runNumber: number,
    stepKey,
    attempt: nullable(number),
    createdAt: instant,
    value: json,
  }),
  end: object({
    kind: exactly("end"),
    counts: object({ instance: count, step: count, event: count, progress: count }),
    source: object({ members: count, version: integer(0), events: count }),
    crc32: text(8, /^[0-9a-f]{8}$/u),
  }),
};
