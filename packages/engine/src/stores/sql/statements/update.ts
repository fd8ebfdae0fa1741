/** Changes deadline, tags and memo of an instance. */
import type { Dialect } from "@escapement/db/client";
import { TERMINAL_STATUSES } from "../../../core/model/status.ts";
import type { RunFacts } from "../../../ports/create.ts";
import { isMeant } from "./control.ts";
import { dueByDeadline } from "./deadline.ts";
import { hasStatusAmong } from "./demand.ts";
import { hint } from "./hint.ts";
import { isInstance, isTaskOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, instanceColumns, TASK } from "./tables.ts";

/** The values for the parameters of `setGiven`, in their order. */
export function toGivenValues({
  deadline,
  tags,
  memo,
}: Partial<RunFacts>): readonly (string | number | null)[] {
  const at = deadline && "at" in deadline ? deadline.at : null;
  const inMs = deadline && "inMs" in deadline ? deadline.inMs : null;
  const isGiven = (value: unknown): number => Number(value !== undefined);
  const ofTags = [isGiven(tags), toTagsText(tags ?? [])];
  return [isGiven(deadline), at, inMs, ...ofTags, isGiven(memo), memo ?? null];
}

/** Assignments, each followed by a comma. @param position of the first parameter @param otherwise the deadline if none is given */
export function setGiven(dialect: Dialect, position: number, otherwise: string): string {
  const { param, now } = dialect;
  const text = (offset: number): string => `cast(${param(position + offset)} as text)`;
  const ms = (offset: number): string => `cast(${param(position + offset)} as bigint)`;
  const isGiven = (offset: number): string => `${param(position + offset)} = 1`;
  const deadline = `coalesce(${dialect.fromMs(ms(1))}, ${dialect.plusMs(now, ms(2))})`;
  return (
    `"deadlineAt" = case when ${isGiven(0)} then ${deadline} else ${otherwise} end, ` +
    `"tags" = case when ${isGiven(3)} then ${text(4)} else "tags" end, ` +
    `"memo" = case when ${isGiven(5)} then ${text(6)} else "memo" end, `
  );
}

/** The text of the tags column; null: none. */
export const toTagsText = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : JSON.stringify(tags);

const ENDED = TERMINAL_STATUSES.map((status) => `'${status}'`).join(", ");

/** Condition: the deadline may be moved. See `core/decide/update.ts`. */
const mayMoveDeadline = ({ now }: Dialect): string =>
  `"status" not in (${ENDED}) and coalesce("endRequested", '') <> 'deadline' and not ("endRequested" is null ` +
  `and "status" in ('running', 'waitingForPause') and coalesce("deadlineAt" <= ${now}, false))`;

/**
 * Parameters: workflow, instance, run number or null, control key or null, statuses as `,a,b,` or null, then those of `toGivenValues`, and
 * the control key with a digest of the inputs.
 * Rows: the instance afterwards; none if it was left alone.
 */
export function updateGiven(dialect: Dialect): string {
  const { now } = dialect;
  // A `startedAt` after "updatedAt" means that the run has not started yet.
  const isOverdue = `"startedAt" > "updatedAt" and "startedAt" <= ${now}`;
  return (
    `update ${INSTANCE} set ${setGiven(dialect, 6, `"deadlineAt"`)}"startedAt" = case when ${isOverdue} then null else "startedAt" end, ` +
    `"controlKey" = coalesce(${dialect.param(13)}, "controlKey"), "updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${isInstance(dialect, INSTANCE)} and ${isMeant(dialect, INSTANCE)} and ${filter(hasStatusAmong(dialect, "", 5))} ` +
    `and ${filter(`${dialect.param(6)} = 0 or (${mayMoveDeadline(dialect)})`)} ` +
    `returning ${instanceColumns(dialect, INSTANCE)}`
  );
}

/**
 * Parameters: workflow, instance. A waiting run is due at its deadline at the latest. A run that starts later is due at its
 * start or its deadline, whichever is first. Rows: the task, if its due time has changed.
 */
export function wakeByDeadline(dialect: Dialect): string {
  const startsLater = `i."startedAt" > i."updatedAt"`;
  const ofInstance = `from ${INSTANCE} as i where ${isInstance(dialect, "i")}`;
  const dueAt =
    `(select case when ${startsLater} then ${dialect.least(`i."startedAt"`, dueByDeadline("i"))} ` +
    `else ${dueByDeadline("i")} end ${ofInstance})`;
  const isOther = `"runAt" > ${dueAt} or ("runAt" < ${dueAt} and exists (select 1 ${ofInstance} and ${startsLater}))`;
  return (
    `update ${TASK} set "runAt" = ${dueAt}, "updatedAt" = ${dialect.now}, "_version" = "_version" + 1 ` +
    `where ${isTaskOfInstance(dialect, TASK)} and ${filter(`"status" = 'pending' and (${isOther})`)} returning "id"` +
    hint(dialect, TASK, `${TASK}."runAt" <= ${dialect.now}`, ", ")
  );
}
