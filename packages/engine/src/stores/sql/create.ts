/** `Store.create`: creates instances with their first tasks in one batch, each independent of the others. */
import { late } from "../../core/late.ts";
import type { When } from "../../core/model/change.ts";
import type { RunFacts } from "../../ports/create.ts";
import { utf8Size } from "../../core/plain-codec.ts";
import { assertInvariant } from "../../core/errors.ts";
import type { NextDue } from "../../ports/claim.ts";
import type { CreateResult, Failed, NewInstance } from "../../ports/create.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { queryGiven } from "./late-statements.ts";
import { toNextDueQuery, toNextDue } from "./claim.ts";
import type { CreatedAnswers } from "./create-alone.ts";
import { toCreatedRecord } from "../../core/created-instance.ts";
import { toInstanceRecord } from "./records.ts";
import type { ClaimNextRow, CreatedRow, FoundInstanceRow, Query } from "./rows.ts";
import {
  type InstanceKeyRow,
  insertInstances,
  insertTasks,
  type NewInstanceRow,
  type NewTaskRow,
  selectCreated,
} from "./statements/create.ts";

export async function createInstances(
  context: SqlContext,
  instances: readonly NewInstance[],
): Promise<readonly Exclude<CreateResult, Failed>[]> {
  const { database, dialect, statements } = context;
  // Every caller uses the same order, so that overlapping batches cannot deadlock.
  const sorted = instances.length > 1 ? instances.toSorted(byKey) : instances;
  const claiming = sorted.find(({ claim }) => claim?.looksFor !== undefined);
  const nextDue = toNextDueQuery(statements, claiming?.claim ?? null);
  const answers =
    (await createAlone(context, sorted, nextDue)) ??
    (await applyBatch(database, {
      instances: queryGiven(dialect, insertInstances, sorted.map(toInstanceRow)),
      tasks: queryGiven(dialect, insertTasks, sorted.map(toTaskRow)),
      created: queryGiven<CreatedRow>(dialect, selectCreated, sorted.map(toKeyRow)),
      seen: nextDue,
    }));
  const [seen] = answers.seen;
  const next = seen === undefined ? undefined : toNextDue(seen);
  const rowOf = new Map(answers.created.map((row) => [row.instanceRowId, row]));
  return instances.map((instance) => toResult(instance, rowOf.get(instance.instanceRowId), next));
}

const byKey = (a: NewInstance, b: NewInstance): number =>
  a.workflowName < b.workflowName ||
  (a.workflowName === b.workflowName && a.instanceId < b.instanceId)
    ? -1
    : 1;

function toResult(
  asked: NewInstance,
  row: CreatedRow | undefined,
  seen: NextDue | undefined,
): Exclude<CreateResult, Failed> {
  const { instanceId, instanceRowId } = asked;
  assertInvariant(row !== undefined, "a created instance cannot be read", { instanceId });
  const next = asked.claim?.looksFor === undefined ? undefined : seen;
  if (row.found === null) return { kind: "created", instance: toCreatedRecord(asked, row), next };
  const found = JSON.parse(row.found) as FoundInstanceRow;
  const kind = found.id === instanceRowId ? "created" : "exists";
  const { omittedBytes } = found;
  const instance = toInstanceRecord(found);
  return { kind, instance: omittedBytes ? { ...instance, omittedBytes } : instance, next };
}

// Marked as pure, or a bundle that only uses a type of the store would include this file.
const alone = /* @__PURE__ */ late(() => import("./create-alone.ts"));

/** null: there are several, the database cannot write in a WITH, or another create was under way. */
async function createAlone(
  context: SqlContext,
  [instance, ...others]: readonly NewInstance[],
  nextDue: Query<ClaimNextRow> | null,
): Promise<CreatedAnswers | null> {
  if (!context.writesInWith || instance === undefined || others.length > 0) return null;
  const { createOne } = await alone();
  const { isKeyed } = instance;
  return createOne(
    context,
    { ...toInstanceRow(instance), ...toTaskRow(instance), isKeyed },
    nextDue,
  );
}

const toKeyRow = ({
  instanceRowId,
  workflowName,
  instanceId,
  isKeyed,
  isOfBatch,
  params,
}: NewInstance): InstanceKeyRow => ({
  instanceRowId,
  workflowName,
  instanceId,
  isKeyed,
  paramsBytes: isOfBatch === true ? utf8Size(params ?? "") : undefined,
});

const timeOf = <Name extends string>(
  name: Name,
  when: When | null | undefined,
): { readonly [Key in `${Name}At` | `${Name}InMs`]?: number } => {
  if (when === null || when === undefined) return {};
  return {
    [`${name}${"at" in when ? "At" : "InMs"}`]: "at" in when ? when.at : when.inMs,
  } as never;
};

/** Deadline, tags and memo as columns of a row. */
export const toGivenRow = ({
  deadline,
  tags = [],
  memo = null,
}: Partial<RunFacts>): Pick<NewInstanceRow, "deadlineAt" | "deadlineInMs" | "tags" | "memo"> => ({
  ...timeOf("deadline", deadline),
  ...(tags.length === 0 ? {} : { tags: JSON.stringify(tags) }),
  ...(memo === null ? {} : { memo }),
});

export function toInstanceRow(instance: NewInstance): NewInstanceRow {
  const { instanceRowId, workflowName, instanceId, params, claim } = instance;
  const isClaimed = claim !== null;
  const row = { instanceRowId, workflowName, instanceId, params: params ?? undefined, isClaimed };
  if (hasNoFacts(instance)) return row;
  return {
    ...row,
    ...timeOf("start", instance.start),
    ...toGivenRow(instance),
    ...toTracedRow(instance),
  };
}

const hasNoFacts = ({ start, deadline, tags, memo, traceContext }: NewInstance): boolean =>
  start === null && (deadline ?? tags ?? memo ?? traceContext) === undefined;

/** The trace context of the creator as a column of a row. */
export const toTracedRow = ({
  traceContext,
}: Pick<NewInstance, "traceContext">): Pick<NewInstanceRow, "traceContext"> =>
  traceContext === undefined ? {} : { traceContext };

export const toTaskRow = ({ instanceRowId, taskRowId, claim }: NewInstance): NewTaskRow =>
  claim === null
    ? { instanceRowId, taskRowId }
    : { instanceRowId, taskRowId, token: claim.token, leaseMs: claim.leaseMs };
