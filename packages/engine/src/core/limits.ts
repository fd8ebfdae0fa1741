/** Every limit, with the defaults that every run reads, and validators. Change any of them in `createEngine({ limits })`. */
import { WorkflowError } from "./errors.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { DurationMs } from "./model/records.ts";
import { showValue } from "./show-value.ts";
import { toStorableText } from "./storable-text.ts";

const DAY_MS = 86_400_000;
const MIB = 1_048_576;

/** The limits of an engine. Sizes are bytes of JSON in UTF-8. */
export interface Limits {
  /** In characters. @default 64 */
  readonly maxWorkflowNameLength: number;
  /** In characters: letters, digits, `_` and `-`, not starting with `-`. @default 100 */
  readonly maxInstanceIdLength: number;
  /** In characters, of the same kinds; also for names of topics. @default 100 */
  readonly maxEventTypeLength: number;
  /** In characters. @default 256 */
  readonly maxStepNameLength: number;
  /** The size of an instance's params. @default 1 MiB */
  readonly maxParamsBytes: number;
  /** The size of a step's result. @default 1 MiB */
  readonly maxStepResultBytes: number;
  /** The size of an event's payload, a message of a topic, a callback's payload or a reply. @default 1 MiB */
  readonly maxEventPayloadBytes: number;
  /** How many events a run may hold before waits consume them. @default 1000 */
  readonly maxUndeliveredEvents: number;
  /** The size of their payloads together. @default 16 MiB */
  readonly maxUndeliveredEventBytes: number;
  /** How many messages a topic keeps, besides those that a wait has not received yet. @default 1000 */
  readonly maxTopicMessages: number;
  /** The size of these messages together. @default 16 MiB */
  readonly maxTopicBytes: number;
  /** How long a topic keeps a message, in milliseconds. @default 7 days */
  readonly maxTopicAgeMs: DurationMs;
  /** How many entries of progress an instance keeps. The newest one is always kept. @default 10000 */
  readonly maxProgressEntries: number;
  /** The size of these entries together. @default 16 MiB */
  readonly maxProgressBytes: number;
  /** The size of one entry. @default 64 KiB */
  readonly maxProgressEntryBytes: number;
  /** The size of what a workflow returns. @default 1 MiB */
  readonly maxOutputBytes: number;
  /**
   * How many steps of one run may have a row: each use of a name, and scopes. Sleeps do not count, nor do steps that a loop has removed.
   * @default 10000
   */
  readonly maxStepsPerRun: number;
  /** How many attempts of one step may be lost with their process. They do not use up retries. @default 20 */
  readonly maxLostAttempts: number;
  /** How many leases in a row a run may lose without progress before it fails with CRASH_LOOP. @default 10 */
  readonly maxLostLeases: number;
  /** How many step calls in a row may be refused or repeat a settled step before the run fails with RUN_SPINNING. @default 10000 */
  readonly maxIdleCalls: number;
  /** The longest sleep, and the longest time from a create to its start or deadline, in milliseconds. @default 365 days */
  readonly maxSleepMs: DurationMs;
  /** The shortest timeout of a wait for events, topics or callbacks, in milliseconds. @default 1000 */
  readonly minEventTimeoutMs: DurationMs;
  /** The longest timeout of such a wait, in milliseconds. @default 365 days */
  readonly maxEventTimeoutMs: DurationMs;
  /** The timeout of such a wait that sets none, in milliseconds. @default 24 hours */
  readonly defaultEventTimeoutMs: DurationMs;
  /** The most instances in one `createBatch`. @default 100 */
  readonly maxBatchSize: number;
  /** The most tags of one instance. @default 16 */
  readonly maxTags: number;
  /** In characters. @default 64 */
  readonly maxTagLength: number;
  /** The size of an instance's memo. @default 4 KiB */
  readonly maxMemoBytes: number;
  /** How long a run may await something that is not a step before it fails with AWAIT_OUTSIDE_STEP, in milliseconds. @default 10 minutes */
  readonly maxAwaitOutsideStepMs: DurationMs;
}

type RunLimitName =
  | "maxWorkflowNameLength"
  | "maxStepNameLength"
  | "maxStepResultBytes"
  | "maxOutputBytes"
  | "maxStepsPerRun"
  | "maxSleepMs"
  | "maxLostLeases"
  | "maxIdleCalls"
  | "maxAwaitOutsideStepMs";

/**
 * Defaults of the limits that every run reads; see `DEFAULT_LIMITS` for the others.
 *
 * @source founding spec 000 §13 and §6.2; `maxStepsPerRun` from design §10 (Cloudflare's default since 2026 is 10 000
 *   as well; spec 000 of 2025 said 1024)
 */
export const RUN_LIMITS: Pick<Limits, RunLimitName> = {
  maxWorkflowNameLength: 64,
  maxStepNameLength: 256,
  maxStepResultBytes: MIB,
  maxOutputBytes: MIB,
  maxStepsPerRun: 10_000,
  maxSleepMs: 365 * DAY_MS,
  maxLostLeases: 10,
  maxIdleCalls: 10_000,
  maxAwaitOutsideStepMs: 600_000,
};

/** The limits of an engine as far as they were given, and the defaults of those that every run reads. See `toLimits`. */
export type RunLimits = Pick<Limits, RunLimitName> & Partial<Limits>;

/** Letters, digits, `_` and `-`, not starting with `-`. */
export const ID_PATTERN: RegExp = /^[a-zA-Z0-9_][a-zA-Z0-9\-_]*$/u;

/** null: none was given. @throws {WorkflowError} RUNNER_ID_INVALID */
export const parseRunnerId = (id: unknown): string | null =>
  id === undefined
    ? null
    : parseId(id, { code: "RUNNER_ID_INVALID", what: "runner id", maxLength: 60 });

/** What a text may be, and the error code for any other. */
export interface TextRule {
  readonly code: ErrorCode;
  readonly what: string;
  readonly maxLength: number;
}

/** Letters, digits, `_` and `-`. @throws {WorkflowError} the code given */
export function parseId(value: unknown, rule: TextRule): string {
  if (typeof value === "string" && value.length <= rule.maxLength && ID_PATTERN.test(value))
    return value;
  throw invalid(rule, value, 'letters, digits, "_" or "-", not starting with "-"', ID_PATTERN);
}

/** @throws {WorkflowError} INVALID_WORKFLOW_NAME */
export function parseWorkflowName(name: unknown, limits: RunLimits): string {
  return parseName(name, {
    code: "INVALID_WORKFLOW_NAME",
    what: "workflow name",
    maxLength: limits.maxWorkflowNameLength,
  });
}

/** The step's name without outer white space. @throws {WorkflowError} INVALID_STEP_NAME */
export function parseStepName(name: unknown, limits: RunLimits): string {
  if (typeof name === "string" && PLAIN.test(name) && name.length <= limits.maxStepNameLength)
    return name;
  if (typeof name !== "string")
    throw new WorkflowError("INVALID_STEP_NAME", `a step's name comes first; got ${typeof name}`);
  const rule: TextRule = {
    code: "INVALID_STEP_NAME",
    what: "step name",
    maxLength: limits.maxStepNameLength,
  };
  return parseName(name.trim(), rule);
}

// Most names: printable ASCII without outer spaces. A fast path, because replay parses the name of every step.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

function parseName(value: unknown, rule: TextRule): string {
  if (
    typeof value === "string" &&
    value !== "" &&
    value.length <= rule.maxLength &&
    toStorableText(value) === value
  )
    return value;
  throw invalid(rule, value, "characters without NUL or unpaired surrogates");
}

const invalid = (
  { code, what, maxLength }: TextRule,
  value: unknown,
  expected: string,
  pattern?: RegExp,
): WorkflowError =>
  new WorkflowError(
    code,
    `${what} ${showValue(value)} is invalid; expected 1 to ${maxLength} ${expected}`,
    { maxLength, ...(pattern && { pattern: pattern.source }) },
  );
