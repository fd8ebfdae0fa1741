/** Reads of the SQL store that runs and waiting callers need: an instance, its steps, events and replies. */
import type { InstanceRecord } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { LoadReplyRequest, LoadReplyResult } from "../../ports/reply.ts";
import type {
  EventPage,
  LoadEventsRequest,
  LoadStepsRequest,
  StepPage,
} from "../../ports/run-pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { toInstanceRecord, toRunEvents } from "./records.ts";
import type { EventPageRow, HistoryRow, InstanceRow, LastEventRow, ReplyRow } from "./rows.ts";
import { lastEvent, loadEvents as selectEvents } from "./statements/load-events.ts";
import { loadInstance as selectInstance } from "./statements/load-instance.ts";
import { loadReply as selectReply } from "./statements/load-reply.ts";
import { loadSteps as selectSteps } from "./statements/load-steps.ts";
import { toRunSteps } from "./step-rows.ts";

export async function loadInstance(
  { database, dialect }: SqlContext,
  workflowName: string,
  instanceId: string,
): Promise<InstanceRecord | null> {
  const {
    instance: [row],
  } = await applyBatch(database, {
    instance: query<InstanceRow>(dialect, selectInstance, workflowName, instanceId),
  });
  return row === undefined ? null : toInstanceRecord(row);
}

export async function loadEvents(
  { database, dialect }: SqlContext,
  { workflowName, instanceId, runNumber, types, afterSequence }: LoadEventsRequest,
): Promise<EventPage> {
  const run = [workflowName, instanceId, runNumber] as const;
  const names = JSON.stringify(types.map((name) => ({ name })));
  const answers = await applyBatch(database, {
    last: query<LastEventRow>(dialect, lastEvent, ...run),
    events: query<EventPageRow>(dialect, selectEvents, ...run, names, afterSequence),
  });
  const { events, hasMore } = toRunEvents(answers.events);
  const end = hasMore ? events.at(-1)?.sequence : Number(answers.last[0]?.last ?? 0);
  return { events, hasMore, upTo: Math.max(afterSequence, end ?? 0) };
}

export async function loadReply(
  { database, dialect }: SqlContext,
  { workflowName, instanceId, eventId, runNumber }: LoadReplyRequest,
): Promise<LoadReplyResult> {
  const {
    found: [found],
  } = await applyBatch(database, {
    found: query<ReplyRow>(dialect, selectReply, workflowName, instanceId, eventId, runNumber),
  });
  if (found === undefined) return { kind: "notFound" };
  const { reply, status, eventRunNumber } = found;
  if (eventRunNumber === null) return { kind: "eventNotFound" };
  if (reply !== null) return { kind: "answered", reply };
  const hasEnded = eventRunNumber !== found.runNumber || isTerminal(status);
  return { kind: hasEnded ? "unanswered" : "open", status };
}

export async function loadSteps(
  { database, dialect, statements }: SqlContext,
  { workflowName, instanceId, runNumber, after }: LoadStepsRequest,
): Promise<StepPage> {
  const {
    steps,
    clock: [clock],
  } = await applyBatch(database, {
    steps: query<HistoryRow>(dialect, selectSteps, workflowName, instanceId, runNumber, after),
    clock: statements.selectNow(),
  });
  return { ...toRunSteps(steps), now: Number(clock?.now) };
}
