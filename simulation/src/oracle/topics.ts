/** Topics: once to each wait that was there before the message, and nothing to others. */
import { isDeepStrictEqual } from "node:util";
import type { TopicNode } from "../program.ts";
import { START_AT } from "../scheduler.ts";
import { nodesOf } from "../walk.ts";
import type { SettledWrite } from "../world/facts.ts";
import type { SaidMessage, TopicWait, Topics } from "../world/topics.ts";
import type { Case, Judged } from "./case.ts";

/** Once nothing fails any more: what an emitter left undone, a look every 20 s, and then some. */
const PROMPT_MS = 120_000;

export function checkTopics(test: Case, model: Judged): void {
  const { report, run } = test;
  checkMailbox(test);
  for (const step of report.books.outcomes.get(run.runId) ?? []) {
    if (step.type !== "waitForTopic" || isKept(test, step)) continue;
    const wait = report.topics.waits.get(step.id);
    if (wait !== undefined) checkSince(test, wait, model?.called.get(step.stepKey));
    if (step.status === "completed") checkMessage(test, step, wait);
    if (step.error?.code === "EVENT_TIMEOUT") checkTimedOut(test, step, wait);
  }
}

/** It had settled in another life of the run, or in another run. */
const isKept = ({ report, run }: Case, { stepKey }: SettledWrite): boolean =>
  report.books.kept.get(run.runId)?.has(stepKey) === true;

/** What a step has is a message for it, and an end of a run of its own leaves none behind. */
function checkMailbox({ report, run, fail }: Case): void {
  const { ends } = report.books;
  const own = run.events.filter(({ type }) => type.startsWith("topic "));
  for (const { eventId, consumedByStepKey } of own)
    if (consumedByStepKey !== null && eventId !== `topic ${consumedByStepKey}`)
      fail("topics", `${consumedByStepKey} took the message of ${eventId}`);
  if (new Set(own.map(({ eventId }) => eventId)).size < own.length)
    fail("topics", "a step was handed two messages");
  const left = own.find(({ consumedByStepKey }) => consumedByStepKey === null);
  if (left !== undefined && ends.has(run.runId) && report.books.reopeningsOf(run.runId) === 0)
    fail("topics", `${left.eventId} is left in the mailbox`);
}

/** Which messages count, as its author says. */
function checkSince({ report, run, fail }: Case, wait: TopicWait, leaf: unknown): void {
  const { since, topic } = (leaf ?? {}) as Partial<TopicNode>;
  const instance = report.instances.find(
    ({ workflowName, instanceId }) =>
      workflowName === run.workflow && instanceId === run.instanceId,
  );
  if (topic === undefined || since === undefined) return;
  const from = { now: null, created: instance?.createdAt, ever: 0 } as const;
  if (wait.topic !== topic || wait.sinceAt !== from[since])
    fail("topics", `${wait.stepKey} waits for ${wait.topic} since ${wait.sinceAt}`);
}

function checkMessage({ report, run, fail }: Case, step: SettledWrite, wait?: TopicWait): void {
  const { stepKey, result } = step;
  // What it had before it was brought back may be there for it still.
  const lives = report.books.reopeningsOf(run.runId) > 0 ? [...report.topics.waits.values()] : [];
  const same = lives.filter((one) => one.runId === run.runId && one.stepKey === stepKey);
  const waits = wait === undefined ? same : [wait, ...same];
  if (waits.length === 0) return fail("topics", `${stepKey} has a message it never waited for`);
  const entitled = waits.flatMap((one) =>
    report.topics.entitlementOf(one).map((message) => toReceived(report.topics, one, message)),
  );
  const { payload } = JSON.parse(result ?? "null") as { readonly payload: unknown };
  if (!entitled.some((message) => isDeepStrictEqual(message, payload)))
    fail(
      "topics",
      `${stepKey} got ${JSON.stringify(payload)}, and is to get ${entitled.map((message) => JSON.stringify(message)).join(" or ") || "nothing"}`,
    );
}

/** A message as a wait gets it: with its position among those of the topic. */
const toReceived = (topics: Topics, { topic }: TopicWait, message: SaidMessage): unknown => ({
  position: topics.messagesOf(topic).indexOf(message) + 1,
  ...(JSON.parse(message.text) as object),
});

/** What it was handed before its deadline is its; and once nothing fails any more a message takes so long at most. */
function checkTimedOut({ report, run, fail }: Case, step: SettledWrite, wait?: TopicWait): void {
  if (wait === undefined) return;
  const { stepKey } = step;
  const deadline = run.steps.find(({ id }) => id === step.id)?.wakeAt;
  if (deadline === null || deadline === undefined) return;
  if (wait.handedAt < deadline)
    fail("topics", `${stepKey} timed out ${deadline - wait.handedAt} ms after its message came`);
  const { calmAt, workflows } = report.scenario;
  const isPoisoned = workflows.some(({ versions }) =>
    versions.some((program) => nodesOf(program).some(({ kind }) => kind === "poison")),
  );
  const said = report.topics.entitlementOf(wait).at(-1)?.at ?? Infinity;
  const since = Math.max(said, wait.openedAt, START_AT + calmAt);
  if (!isPoisoned && since + PROMPT_MS < deadline)
    fail("topics", `${stepKey} timed out ${deadline - said} ms after its message was emitted`);
}
