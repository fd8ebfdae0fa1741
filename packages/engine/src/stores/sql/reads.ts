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
import { toRareContext } from "./rare-statements.ts";
import { toInstanceRecord, toRunEvents } from "./records.ts";
import { toRunSteps } from "./step-rows.ts";

export async function loadInstance(
  context: SqlContext,
  workflowName: string,
  instanceId: string,
): Promise<InstanceRecord | null> {
  const { database, statements } = toRareContext(context);
  const {
    instance: [row],
  } = await applyBatch(database, { instance: statements.loadInstance(workflowName, instanceId) });
  return row === undefined ? null : toInstanceRecord(row);
}

export async function loadEvents(
  context: SqlContext,
  { workflowName, instanceId, runNumber, types, afterSequence }: LoadEventsRequest,
): Promise<EventPage> {
  const { database, statements } = toRareContext(context);
  const run = [workflowName, instanceId, runNumber] as const;
  const names = JSON.stringify(types.map((name) => ({ name })));
  const answers = await applyBatch(database, {
    last: statements.lastEvent(...run),
    events: statements.loadEvents(...run, names, afterSequence),
  });
  const { events, hasMore } = toRunEvents(answers.events);
  const end = hasMore ? events.at(-1)?.sequence : Number(answers.last[0]?.last ?? 0);
  return { events, hasMore, upTo: Math.max(afterSequence, end ?? 0) };
}

export async function loadReply(
  context: SqlContext,
  { workflowName, instanceId, eventId, runNumber }: LoadReplyRequest,
): Promise<LoadReplyResult> {
  const { database, statements } = toRareContext(context);
  const {
    found: [found],
  } = await applyBatch(database, {
    found: statements.loadReply(workflowName, instanceId, eventId, runNumber),
  });
  if (found === undefined) return { kind: "notFound" };
  const { reply, status, eventRunNumber } = found;
  if (eventRunNumber === null) return { kind: "eventNotFound" };
  if (reply !== null) return { kind: "answered", reply };
  const hasEnded = eventRunNumber !== found.runNumber || isTerminal(status);
  return { kind: hasEnded ? "unanswered" : "open", status };
}

export async function loadSteps(
  context: SqlContext,
  { workflowName, instanceId, runNumber, after }: LoadStepsRequest,
): Promise<StepPage> {
  const { database, statements } = toRareContext(context);
  const {
    steps,
    clock: [clock],
  } = await applyBatch(database, {
    steps: statements.loadSteps(workflowName, instanceId, runNumber, after),
    clock: statements.selectNow(),
  });
  return { ...toRunSteps(steps), now: Number(clock?.now) };
}
