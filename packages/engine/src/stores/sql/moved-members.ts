/** Reads instances for an export, with their records. Loaded with the first export. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { MovedEntry, MovedEvent, MovedInstance, MovedPart } from "../../core/move/records.ts";
import { topicOfWait } from "../../core/move/topic-of-wait.ts";
import type {
  MemberSize,
  MembersPage,
  MovedTopicWait,
  PartPlace,
  PartsPage,
  ReadPartsRequest,
} from "../../ports/move.ts";
import type { Dialect } from "@escapement/db/client";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { toEventRecord, toInstanceRecord } from "./records.ts";
import { toStepRecord } from "./step-columns.ts";
import type { EventRow, InstanceRow, Query, StepRow } from "./rows.ts";
import * as texts from "./statements/moved-members.ts";

type Members = readonly InstanceRef[];

const toText = (members: Members): string =>
  JSON.stringify(
    members.map(({ workflowName, instanceId }, member) => ({ workflowName, instanceId, member })),
  );

/** Sums, which some drivers return as text. */
type SizeRow = Readonly<Record<"member" | keyof MemberSize, number | string>>;

export async function measure(
  { database, dialect }: SqlContext,
  members: Members,
): Promise<readonly MemberSize[]> {
  const { sizes } = await applyBatch(database, {
    sizes: query<SizeRow>(dialect, texts.selectSizes, toText(members)),
  });
  const byMember = new Map(sizes.map((row) => [Number(row.member), row]));
  return members.map((_, member) => ({
    sizeBytes: Number(byMember.get(member)?.sizeBytes ?? 0),
    topicWaitCount: Number(byMember.get(member)?.topicWaitCount ?? 0),
  }));
}

type TopicWaitRow = Pick<StepRow, "id" | "type" | "status" | "waitEventType">;

export async function loadTopicWaits(
  { database, dialect }: SqlContext,
  members: Members,
): Promise<readonly MovedTopicWait[]> {
  const { waits } = await applyBatch(database, {
    waits: query<TopicWaitRow>(dialect, texts.selectTopicWaits, toText(members)),
  });
  return waits.flatMap((row) => {
    const topic = topicOfWait(row);
    return topic === null ? [] : [{ stepId: row.id, topic }];
  });
}

type MovedInstanceRow = InstanceRow &
  Pick<MovedInstance, "controlKey" | "keyNumber" | "traceContext">;

const toInstance = (row: MovedInstanceRow): MovedInstance => {
  const { controlKey, keyNumber, traceContext } = row;
  return { kind: "instance", ...toInstanceRecord(row), controlKey, keyNumber, traceContext };
};

type PartRow<TRow> = TRow & {
  readonly member: number | string;
  readonly place: number;
  readonly among: number | string;
  readonly runNumber: number;
};
type MovedStepRow = PartRow<StepRow & { readonly startedKeys: string | null }>;
type MovedEventRow = PartRow<EventRow & Pick<MovedEvent, "reply" | "traceContext">>;
type MovedEntryRow = PartRow<Omit<MovedEntry, "kind">>;

const FIRST: PartPlace = { member: 0, place: 0 };

interface PartsQuery extends Pick<ReadPartsRequest, "members" | "after"> {
  /** undefined: each. */
  readonly kind: MovedPart["kind"] | undefined;
}

/** The queries of a page of each kind that is asked for. */
function toQueries({ dialect }: SqlContext, { members, after, kind }: PartsQuery) {
  const at = [toText(members), after.member, after.place] as const;
  const of = <TRow>(name: MovedPart["kind"], text: (of: Dialect) => string): Query<TRow> | null =>
    kind === undefined || kind === name ? query<TRow>(dialect, text, ...at) : null;
  return {
    step: of<MovedStepRow>("step", texts.selectMovedSteps),
    event: of<MovedEventRow>("event", texts.selectMovedEvents),
    progress: of<MovedEntryRow>("progress", texts.selectMovedEntries),
  };
}

export async function loadMembers(
  context: SqlContext,
  members: Members,
  only?: MovedPart["kind"],
): Promise<MembersPage> {
  const { database, dialect } = context;
  const { instances, step, event, progress } = await applyBatch(database, {
    instances: query<MovedInstanceRow>(dialect, texts.selectMovedInstances, toText(members)),
    ...toQueries(context, { members, after: FIRST, kind: only }),
  });
  return {
    instances: instances.map(toInstance),
    step: toPage(step, toStep),
    event: toPage(event, toEvent),
    progress: toPage(progress, toEntry),
  };
}

export async function readParts(
  context: SqlContext,
  request: ReadPartsRequest,
): Promise<PartsPage> {
  const { step, event, progress } = await applyBatch(context.database, toQueries(context, request));
  if (request.kind === "step") return toPage(step, toStep);
  return request.kind === "event" ? toPage(event, toEvent) : toPage(progress, toEntry);
}

function toPage<TRow extends PartRow<object>>(
  rows: readonly TRow[],
  toPart: (row: TRow) => MovedPart,
): PartsPage {
  const records = rows.map((row) => ({ member: Number(row.member), record: toPart(row) }));
  const last = rows.at(-1);
  const isLast =
    last === undefined || (rows.length === Number(last.among) && rows.length < texts.PAGE_ROWS);
  const next = isLast ? null : { member: Number(last.member), place: last.place };
  return { records, next };
}

const toStep = (row: MovedStepRow): MovedPart => ({
  kind: "step",
  ...toStepRecord(row),
  runNumber: row.runNumber,
  startedKeys: row.startedKeys,
});

const toEvent = (row: MovedEventRow): MovedPart => ({
  kind: "event",
  ...toEventRecord(row),
  runNumber: row.runNumber,
  reply: row.reply,
  traceContext: row.traceContext,
});

const toEntry = ({
  sequence,
  runNumber,
  stepKey,
  attempt,
  createdAt,
  value,
}: MovedEntryRow): MovedPart => ({
  kind: "progress",
  sequence,
  runNumber,
  stepKey,
  attempt,
  createdAt,
  value,
});
