/** How long ended instances are kept: the option, and the rules for a purge. */
import { parseDuration, type WorkflowDuration } from "./duration.ts";
import { WorkflowError } from "./errors.ts";
import { assertKnownOptions } from "./known-names.ts";
import type { DurationMs } from "./model/records.ts";

/** States that end an instance, unless it is restarted or retried. */
export type EndStatus = "complete" | "errored" | "terminated";

/** Milliseconds or a duration string, at least 1 minute; `forever`: a purge never deletes it. */
type Keep = WorkflowDuration | "forever";

/**
 * How long an instance is kept after its end, before it is deleted together with its history and its children: the same for every
 * end, or by how it ended. Without a value, it is kept for ever.
 */
export type Retention =
  | Keep
  | {
      /** For every end that has no member of its own. */
      readonly after?: Keep;
      readonly complete?: Keep;
      readonly errored?: Keep;
      readonly terminated?: Keep;
      /** Keep failed instances for ever, whatever the other members say. @default false */
      readonly keepFailed?: boolean;
    };

/** How long a workflow's instances that ended in one way are kept. */
export interface RetentionRule {
  readonly workflowName: string;
  readonly status: EndStatus;
  readonly keepMs: DurationMs;
}

const END_STATUSES: readonly EndStatus[] = ["complete", "errored", "terminated"];

/** Every member of a retention that is an object. */
const MEMBERS: object = {
  after: 1,
  complete: 1,
  errored: 1,
  terminated: 1,
  keepFailed: 1,
};

/** Repeats of a call come within seconds, and a purge must not come between. */
const LEAST_MS: DurationMs = 60_000;

/** Practically for ever, and an instant that every database can compute with. */
const MOST_MS: DurationMs = 100 * 31_536_000_000;

/** The durations by end; Infinity: for ever; undefined: not set. */
type Keeps = Readonly<Partial<Record<EndStatus, DurationMs | undefined>>>;

/**
 * Reads the option.
 *
 * @throws {WorkflowError} INVALID_DURATION — no duration, or one under a minute; UNKNOWN_OPTION
 */
export function parseRetention(retention: Retention | null | undefined): Keeps {
  const isByEnd = typeof retention === "object" && retention !== null;
  if (isByEnd) assertKnownOptions("retention", retention, MEMBERS);
  const said = isByEnd ? retention : retention === undefined ? {} : { after: retention ?? NaN };
  const keeps: Partial<Record<EndStatus, DurationMs | undefined>> = {};
  for (const status of END_STATUSES)
    keeps[status] = parseKeep(status, said[status]) ?? parseKeep("after", said.after);
  if (said.keepFailed === true) keeps.errored = Infinity;
  return keeps;
}

function parseKeep(member: string, keep: Keep | undefined): DurationMs | undefined {
  if (keep === undefined) return undefined;
  if (keep === "forever") return Infinity;
  const what = `retention.${member}`;
  const ms = parseDuration(keep, what);
  if (ms < LEAST_MS) {
    const message = `${what} is ${ms} ms; expected 1 minute or more, or "forever"`;
    throw new WorkflowError("INVALID_DURATION", message, { what, duration: String(keep) });
  }
  return ms > MOST_MS ? Infinity : ms;
}

/** The options of an engine and of its workflows. */
export interface RetentionOptions {
  readonly ofEngine: Retention | undefined;
  readonly workflows: readonly {
    readonly name: string;
    readonly retention: Retention | undefined;
  }[];
}

/**
 * The rules for a purge: a workflow's own option takes precedence over the engine's. There is no rule for what is kept for ever.
 *
 * @throws {WorkflowError} as `parseRetention`
 */
export function toRetentionRules({
  ofEngine,
  workflows,
}: RetentionOptions): readonly RetentionRule[] {
  const others = parseRetention(ofEngine);
  const rules: RetentionRule[] = [];
  for (const { name: workflowName, retention } of workflows) {
    const own = parseRetention(retention);
    for (const status of END_STATUSES) {
      const keepMs = own[status] ?? others[status] ?? Infinity;
      if (keepMs < Infinity) rules.push({ workflowName, status, keepMs });
    }
  }
  return rules;
}
