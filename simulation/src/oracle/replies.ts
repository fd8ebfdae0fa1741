/** Replies: the first one stays, whoever asks hears it, and none that author code gave is lost. */
import { replyOf } from "../author-leaves.ts";
import type { ModelRun } from "../model.ts";
import type { EventRecord } from "../world/engine-types.ts";
import type { SettledWrite } from "../world/facts.ts";
import type { AskRecord } from "../world/asks.ts";
import type { Case, Judged } from "./case.ts";

export function checkReplies(test: Case, model: Judged): void {
  const { report, run } = test;
  for (const record of report.asks)
    if (`${record.workflow}/${record.instanceId}/${record.runNumber}` === run.runId)
      checkHeard(test, record);
  if (model === null) return;
  for (const event of run.events) checkReply(test, model, event);
}

/** A rewind has brought events back, here or in a run before: they keep their replies, whoever takes them then, in whichever run. */
const bringsBack = ({ report, run }: Case): boolean =>
  Array.from({ length: run.runNumber }, (_, index) => index + 1).some(
    (number) => report.books.reopeningsOf(`${run.workflow}/${run.instanceId}/${number}`) > 0,
  );

/** Who asks hears one reply: the one that stands on the event in the end. */
function checkHeard(test: Case, { eventId, answers }: AskRecord): void {
  const { report, run, fail } = test;
  const replies = answers.filter(({ code }) => code === "answered");
  const stored = run.replies.get(eventId) ?? null;
  const heard = new Set(replies.map(({ reply }) => JSON.stringify({ value: reply })));
  // A loop takes the row of an event away, an hour after it was taken. What was brought back goes on with the next run.
  const hasMoved = bringsBack(test) && run.events.every((event) => event.eventId !== eventId);
  const isGone = hasMoved || report.books.trimmed.get(run.runId)?.size;
  if (heard.size > 1 || (replies.length > 0 && !heard.has(stored ?? "") && !isGone))
    fail("replies", `${eventId} was answered ${[...heard].join(", ")}, and keeps ${stored}`);
  // A process that was frozen meanwhile tells late what it had read.
  const heardAt = answers.find(({ code }) => code === "answered")?.at ?? Infinity;
  const after = answers.filter(({ askedAt }) => askedAt >= heardAt).map(({ code }) => code);
  if (!isGone && after.some((code) => code !== "answered"))
    fail("replies", `${eventId} was answered, and then ${after.join(", ")}`);
  const isReopened = report.books.reopeningsOf(run.runId) > 0;
  for (const { code, at } of answers)
    if (code === "EVENT_NOT_ANSWERED" && stored !== null && !isReopened)
      fail("replies", `${eventId} was said at ${at} to have no reply, and has ${stored}`);
}

/** What stands on an event is what author code gives it; and it is there if author code was told of it. */
function checkReply(test: Case, model: ModelRun, event: EventRecord): void {
  const { run, fail } = test;
  const { consumedByStepKey: key, eventId } = event;
  if (key === null || eventId === null || bringsBack(test)) return;
  const reply = run.replies.get(eventId) ?? null;
  const leaf = model.called.get(key);
  const isAsked = leaf?.kind === "receive" && leaf.replies;
  if (!isAsked) {
    if (reply !== null) fail("replies", `${eventId} has the reply ${reply}, and nobody gave one`);
    return;
  }
  const batch = run.events
    .filter(({ consumedByStepKey }) => consumedByStepKey === key)
    .toSorted((a, b) => a.sequence - b.sequence);
  const expected = JSON.stringify({ value: replyOf(key, batch.indexOf(event)) });
  if (reply !== null && reply !== expected)
    fail("replies", `${eventId} has the reply ${reply}, and author code gives ${expected}`);
  if (reply === null && mustBeThere(test, model, key))
    fail("replies", `${eventId} has no reply, and author code gave one`);
}

/** The code of the run has come to its own end, and had been told. */
function mustBeThere({ report, run }: Case, model: ModelRun, key: string): boolean {
  const end = report.books.ends.get(run.runId);
  const isOwn = end?.kind === "complete" || end?.kind === "fail";
  const isCrashed = end?.error?.code === "CRASH_LOOP";
  return (
    isOwn && !isCrashed && report.books.requests.of(run.runId) === undefined && model.told.has(key)
  );
}

/** The row that tells a replay of a reply: of an event of a batch that author code was told of. */
export function checkReplyRow({ fail }: Case, model: ModelRun, { stepKey }: SettledWrite): void {
  const key = stepKey.slice(0, stepKey.lastIndexOf("/"));
  const leaf = model.called.get(key);
  // In the turn in which the workflow returns it may have been told of more.
  const wasTold = model.told.has(key) || model.end !== null;
  if (leaf?.kind !== "receive" || !leaf.replies || !wasTold)
    fail("replies", `${stepKey} was written, and author code gave no reply`);
}
