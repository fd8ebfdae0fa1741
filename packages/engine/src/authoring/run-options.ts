/** Options of a run besides its params: deadline, tags and memo. */
import { encodeJson } from "../core/codec.ts";
import { invalidField } from "../core/invalid-field.ts";
import type { Limits } from "../core/limits.ts";
import type { When } from "../core/model/change.ts";
import type { EpochMs, JsonText } from "../core/model/records.ts";
import { toStorableText } from "../core/storable-text.ts";
import type { RunOptions } from "../ports/create-inputs.ts";
import type { RunFacts } from "../ports/create.ts";
import { parseWhen } from "./start-time.ts";

/** Every option of a run. */
export const RUN_OPTIONS: Readonly<Record<keyof RunOptions, 1>> = {
  deadline: 1,
  deadlineAt: 1,
  tags: 1,
  memo: 1,
};

/**
 * Parses the options that are given; null: none is.
 *
 * @param now by the process clock, as for `parseStart`
 * @throws {WorkflowError} INVALID_REQUEST, INVALID_DURATION, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
 */
export function parseRunOptions(
  { deadline, deadlineAt, tags, memo }: RunOptions,
  limits: Limits,
  now: EpochMs,
): Partial<RunFacts> | null {
  const isDated = deadline !== undefined || deadlineAt !== undefined;
  if (!isDated && tags === undefined && memo === undefined) return null;
  return {
    ...(isDated ? { deadline: parseDeadline({ deadline, deadlineAt }, limits, now) } : {}),
    ...(tags === undefined ? {} : { tags: parseTags(tags, limits) }),
    ...(memo === undefined ? {} : { memo: parseMemo(memo, limits) }),
  };
}

function parseDeadline(
  { deadline, deadlineAt }: { [Key in "deadline" | "deadlineAt"]: RunOptions[Key] | undefined },
  { maxSleepMs }: Limits,
  now: EpochMs,
): When | null {
  if (deadline !== undefined && deadlineAt !== undefined)
    throw invalidField("deadline", "deadline or deadlineAt, not both");
  const isNone = deadline === null || deadlineAt === null;
  if (isNone) return null;
  return parseWhen(
    { delay: ["deadline", deadline], instant: ["deadlineAt", deadlineAt] },
    maxSleepMs,
    now,
  );
}

/** @throws {WorkflowError} INVALID_REQUEST */
function parseTags(tags: unknown, { maxTags, maxTagLength }: Limits): readonly string[] {
  const isTag = (tag: unknown): boolean =>
    typeof tag === "string" &&
    tag !== "" &&
    tag.length <= maxTagLength &&
    toStorableText(tag) === tag;
  const given: readonly unknown[] = Array.isArray(tags) ? [...tags] : [null];
  if (given.length <= maxTags && given.every(isTag)) return [...new Set(given as string[])];
  throw invalidField("tags", `at most ${maxTags} strings of 1 to ${maxTagLength} characters`);
}

const parseMemo = (memo: unknown, { maxMemoBytes }: Limits): JsonText | null =>
  memo === null ? null : encodeJson(memo, { maxBytes: maxMemoBytes, what: "the memo" });
