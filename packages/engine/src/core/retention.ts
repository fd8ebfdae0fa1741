/** How long ended instances are kept: the option, and the rules for a purge. */
import { parseDuration, type WorkflowDuration } from "./duration.ts";
import { WorkflowError } from "./errors.ts";
import type { DurationMs } from "./model/records.ts";
import { hasOnlyKnown } from "./only-known.ts";
import { showValue } from "./show-value.ts";

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
export const RETENTION_MEMBERS: object = {
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
  if (isByEnd) assertMembers(retention);
  const said = isByEnd ? retention : retention === undefined ? {} : { after: retention ?? NaN };
  const keeps: Partial<Record<EndStatus, DurationMs | undefined>> = {};
  for (const status of END_STATUSES)
    keeps[status] = parseKeep(status, said[status]) ?? parseKeep("after", said.after);
  if (said.keepFailed === true) keeps.errored = Infinity;
  return keeps;
}

function assertMembers(retention: object): void {
  if (hasOnlyKnown(retention, RETENTION_MEMBERS)) return;
  const message = `retention has ${showValue(retention)}; expected ${Object.keys(RETENTION_MEMBERS).join(", ")}`;
  throw new WorkflowError("UNKNOWN_OPTION", message);
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

/** The rules for a purge: a workflow's own option takes precedence over the engine's. There is no rule for what is kept for ever. */
export function toRetentionRules(
  workflows: Iterable<{ readonly name: string; readonly retention: Retention | undefined }>,
  ofEngine: Retention | undefined,
): readonly RetentionRule[] {
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
