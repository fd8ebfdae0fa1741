/** Sleeps, waits and events: nothing early, deadlines hard, events once and oldest first. */
import type { CallbackNode } from "../program.ts";
import { START_AT } from "../scheduler.ts";
import { nodesOf } from "../walk.ts";
import type { EventRecord, StepRecord } from "../world/engine-types.ts";
import { checkBatch } from "./batches.ts";
import type { Case, Judged } from "./case.ts";
import { isOpenFor, type Wait } from "./open-events.ts";
import { isCancelledError } from "./ends.ts";

export function checkWaits(test: Case, model: Judged): void {
  checkConsumption(test);
  checkPromptness(test);
  if (model === null) return;
  for (const step of test.run.steps) {
    // A fork has no events, and what a retry opens again was there before it.
    if (test.report.books.copied.has(test.run.runId)) continue;
    const leaf = model.called.get(step.stepKey);
    // Of a wait that was cancelled before its first commit was answered, two commits say how long it is.
    if (step.status === "cancelled" || isCancelledError(step.error)) continue;
    if (leaf?.kind === "sleep") checkSleep(test, step, leaf.ms);
    if (leaf?.kind === "wait") checkWait(test, step, { ...leaf, types: [leaf.type] });
    if (leaf?.kind === "receive") checkBatch(test, step, leaf);
    if (leaf?.kind === "callback") checkWait(test, step, toWait(leaf, step));
  }
}

/** A callback is a wait for an event that has a type of its own. */
const toWait = ({ timeoutMs }: CallbackNode, { stepKey }: StepRecord): Wait => ({
  types: [`callback ${stepKey}`],
  timeoutMs,
  since: "run",
});

/** Once nothing fails any more: a look every 20 s, a body of 40 s before it, and then some. */
const PROMPT_MS = 120_000;

/** An event that an open wait asks for wakes its run, whatever code the wait was made by. */
function checkPromptness({ report, run, fail }: Case): void {
  const { calmAt, workflows } = report.scenario;
  const isPoisoned = workflows.some(({ versions }) =>
    versions.some((program) => nodesOf(program).some(({ kind }) => kind === "poison")),
  );
  // What a retry has opened again author code may call later.
  if (isPoisoned || report.books.disordered.has(run.runId)) return;
  for (const { type, createdAt, deliveredAt, consumedByStepKey } of run.events) {
    const step = run.steps.find(({ stepKey }) => stepKey === consumedByStepKey);
    if (step === undefined || deliveredAt === null) continue;
    const since = Math.max(createdAt, step.createdAt, START_AT + calmAt);
    if (deliveredAt - since > PROMPT_MS)
      fail(
        "waits",
        `${step.stepKey} took its ${type} ${deliveredAt - since} ms after both were there`,
      );
  }
}

/** An event belongs to one wait, and a wait has one event; what is sent twice is stored once. */
function checkConsumption(test: Case): void {
  const { report, run, fail } = test;
  const written = report.books.outcomes.get(run.runId) ?? [];
  const payloads = run.events
    .filter(({ type }) => !/^(?:child|rewind|topic) /u.test(type))
    .map(({ payload }) => payload);
  if (new Set(payloads).size < payloads.length) fail("events", "an event was stored twice");
  const taken = new Map<string, EventRecord>();
  for (const event of run.events) {
    const key = event.consumedByStepKey;
    if (key === null) continue;
    // Each time that a step is opened again it has another child.
    if (event.type.startsWith("child ") && report.books.reopeningsOf(run.runId) > 0) continue;
    const isBatch = written.some(({ stepKey, type }) => stepKey === key && type === "receive");
    if (taken.has(key) && !isBatch) fail("events", `${key} consumed two events`);
    taken.set(key, event);
  }
  for (const step of run.steps) {
    if (step.type !== "waitForEvent") continue;
    if (report.books.copied.has(run.runId) && report.books.kept.get(run.runId)?.has(step.stepKey))
      continue;
    const event = taken.get(step.stepKey);
    if (step.status === "completed" && event === undefined)
      fail("events", `${step.stepKey} completed without an event`);
    if (step.status !== "completed" && event !== undefined)
      fail("events", `${step.stepKey} is ${step.status} and has consumed an event`);
  }
}

function checkSleep({ fail, report, run }: Case, step: StepRecord, ms: number): void {
  if (step.wakeAt === null) return fail("waits", `${step.stepKey} has no wake time`);
  const sleptMs = step.wakeAt - step.createdAt;
  // A retry goes on with one that the run's end had closed before it was committed.
  if (report.books.reopeningsOf(run.runId) > 0) return;
  if (sleptMs < ms || (sleptMs > ms && !report.books.repeated.has(run.runId)))
    fail("waits", `${step.stepKey} sleeps ${sleptMs} ms instead of ${ms}`);
  if (step.status === "completed" && step.updatedAt < step.wakeAt)
    fail("waits", `${step.stepKey} woke ${step.wakeAt - step.updatedAt} ms early`);
}

function checkWait(test: Case, step: StepRecord, leaf: Wait): void {
  const own = test.run.events.find(({ consumedByStepKey }) => consumedByStepKey === step.stepKey);
  if (step.status === "completed" && own !== undefined) checkDelivered(test, step, { leaf, own });
  if (step.status === "errored" && step.error?.name.includes("NotAwaited") !== true)
    checkTimedOut(test, step, leaf);
}

function checkDelivered(
  { run, fail }: Case,
  step: StepRecord,
  { leaf, own }: { readonly leaf: Wait; readonly own: EventRecord },
): void {
  if (!leaf.types.includes(own.type)) fail("events", `${step.stepKey} took a ${own.type}`);
  if (step.wakeAt !== null && own.createdAt > step.wakeAt)
    fail(
      "waits",
      `${step.stepKey} took an event ${own.createdAt - step.wakeAt} ms after its deadline`,
    );
  const older = run.events.find(
    (event) => event.sequence < own.sequence && isOpenFor(run.steps, event, { step, leaf }),
  );
  if (older !== undefined) fail("events", `${step.stepKey} took an event and left an older one`);
}

function checkTimedOut({ run, fail }: Case, step: StepRecord, leaf: Wait): void {
  const deadline = step.wakeAt ?? step.createdAt + leaf.timeoutMs;
  if (step.updatedAt < deadline)
    fail("waits", `${step.stepKey} timed out ${deadline - step.updatedAt} ms early`);
  const missed = run.events.find(
    (event) => event.createdAt < deadline && isOpenFor(run.steps, event, { step, leaf }),
  );
  if (missed !== undefined)
    fail(
      "waits",
      `${step.stepKey} timed out, and its event came ${deadline - missed.createdAt} ms before`,
    );
}
