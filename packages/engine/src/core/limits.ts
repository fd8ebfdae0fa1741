/** Every limit, with the defaults that every run reads, and validators. Change any of them in `createEngine({ limits })`. */
import { WorkflowError } from "./errors.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { DurationMs } from "./model/records.ts";
import { showValue } from "./show-value.ts";
import { toStorableText } from "./storable-text.ts";

const DAY_MS = 86_400_000;
const MIB = 1_048_576;

/** The limits of an engine. */
export interface Limits {
  /** In characters. */
  readonly maxWorkflowNameLength: number;
  /** In characters; for the pattern see `ID_PATTERN`. */
  readonly maxInstanceIdLength: number;
  /** In characters; for the pattern see `ID_PATTERN`. */
  readonly maxEventTypeLength: number;
  /** In characters. */
  readonly maxStepNameLength: number;
  /** In UTF-8 bytes of JSON. */
  readonly maxParamsBytes: number;
  readonly maxStepResultBytes: number;
  readonly maxEventPayloadBytes: number;
  /** How many events a run may hold before waits consume them. */
  readonly maxUndeliveredEvents: number;
  /** The UTF-8 bytes of their payloads. */
  readonly maxUndeliveredEventBytes: number;
  /** How many messages a topic keeps, besides those that a wait has not received yet. */
  readonly maxTopicMessages: number;
  /** The UTF-8 bytes of these messages. */
  readonly maxTopicBytes: number;
  readonly maxTopicAgeMs: DurationMs;
  /** How many entries of progress an instance keeps. The newest one is always kept. */
  readonly maxProgressEntries: number;
  /** The UTF-8 bytes of these entries. */
  readonly maxProgressBytes: number;
  /** The UTF-8 bytes of one entry's JSON. */
  readonly maxProgressEntryBytes: number;
  readonly maxOutputBytes: number;
  /**
   * How many steps of one run may have a row: each use of a name, and scopes. Sleeps do not count, nor do steps that a loop has removed.
   */
  readonly maxStepsPerRun: number;
  /** How many attempts of one step may be lost with their process. They do not use up retries. */
  readonly maxLostAttempts: number;
  /** How many leases in a row a run may lose without progress before it fails with CRASH_LOOP. */
  readonly maxLostLeases: number;
  /** How many step calls in a row may be refused or repeat a settled step before the run fails with RUN_SPINNING. */
  readonly maxIdleCalls: number;
  /** The longest sleep, and the longest time from a create to its start or deadline. */
  readonly maxSleepMs: DurationMs;
  readonly minEventTimeoutMs: DurationMs;
  readonly maxEventTimeoutMs: DurationMs;
  readonly defaultEventTimeoutMs: DurationMs;
  /** The most instances in one `createBatch`. */
  readonly maxBatchSize: number;
  /** The most tags of one instance. */
  readonly maxTags: number;
  /** In characters. */
  readonly maxTagLength: number;
  /** In UTF-8 bytes of JSON. */
  readonly maxMemoBytes: number;
  /** How long a run may await something that is not a step before it fails with AWAIT_OUTSIDE_STEP. */
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
