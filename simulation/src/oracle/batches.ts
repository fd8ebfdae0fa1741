/** Batches: what a `receive` took, and what it left. */
import type { ReceiveNode } from "../program.ts";
import type { EventRecord, StepRecord } from "../world/engine-types.ts";
import type { Case } from "./case.ts";
import { isOpenFor } from "./open-events.ts";

interface Batch {
  readonly step: StepRecord;
  readonly leaf: ReceiveNode;
  readonly events: readonly EventRecord[];
}

/** @param step a `receive` that has settled, and was not cancelled */
export function checkBatch(test: Case, step: StepRecord, leaf: ReceiveNode): void {
  const { run, fail } = test;
  const { stepKey } = step;
  if (step.status !== "completed") {
    if (step.error?.name.includes("NotAwaited") !== true && step.settledOrder !== null)
      fail("batches", `${stepKey} is ${step.status}`);
    return;
  }
  const events = run.events
    .filter(({ consumedByStepKey }) => consumedByStepKey === stepKey)
    .toSorted((a, b) => a.sequence - b.sequence);
  const batch = { step, leaf, events };
  checkResult(test, batch);
  checkSize(test, batch);
  checkOrder(test, batch);
  checkKnown(test, batch);
}

/** Its result is the events that it took, oldest first. */
function checkResult({ fail }: Case, { step, events }: Batch): void {
  const result = JSON.parse(step.result ?? "[]") as readonly { readonly payload?: unknown }[];
  const given = result.map(({ payload }) => JSON.stringify(payload));
  const taken = events.map(({ payload }) => payload);
  if (given.join() !== taken.join())
    fail("batches", `${step.stepKey} gives ${given.join()}, and took ${taken.join()}`);
}

function checkSize({ fail }: Case, { step, leaf, events }: Batch): void {
  const { stepKey, updatedAt, wakeAt } = step;
  if (events.length > leaf.count)
    fail("batches", `${stepKey} took ${events.length} events of at most ${leaf.count}`);
  if (events.length < leaf.min && updatedAt < (wakeAt ?? Infinity))
    fail("batches", `${stepKey} took ${events.length} of ${leaf.min} before its deadline`);
  for (const { type, createdAt } of events) {
    if (!leaf.types.includes(type)) fail("batches", `${stepKey} took a ${type}`);
    if (wakeAt !== null && createdAt > wakeAt)
      fail("batches", `${stepKey} took an event ${createdAt - wakeAt} ms after its deadline`);
  }
}

/** It passes over none that is older than one it took, and at its deadline over none that came in time. */
function checkOrder({ run, fail }: Case, { step, leaf, events }: Batch): void {
  if (events.length >= leaf.count) {
    const last = events.at(-1)?.sequence ?? 0;
    if (run.events.some((one) => one.sequence < last && isOpenFor(run.steps, one, { step, leaf })))
      fail("batches", `${step.stepKey} took an event and left an older one`);
    return;
  }
  const last = events.at(-1)?.sequence ?? 0;
  const isTimedOut = events.length < leaf.min;
  const left = run.events.find(
    (one) =>
      (one.sequence < last || (isTimedOut && one.createdAt < (step.wakeAt ?? 0))) &&
      isOpenFor(run.steps, one, { step, leaf }),
  );
  if (left !== undefined)
    fail("batches", `${step.stepKey} has room for ${left.type} ${left.sequence}, and left it`);
}

/** What the claim of its runner had read by then, and nobody had taken, is in it as long as there is room. */
function checkKnown({ report, run, fail }: Case, { step, leaf, events }: Batch): void {
  const lease = report.books.settledUnder.get(run.runId)?.get(step.stepKey);
  if (lease === undefined || events.length >= leaf.count) return;
  const left = run.events.find(
    (one) =>
      lease.events.has(one.id) &&
      one.createdAt <= (step.wakeAt ?? Infinity) &&
      isOpenFor(run.steps, one, { step, leaf }),
  );
  if (left !== undefined)
    fail("batches", `${step.stepKey} knew ${left.type} ${left.sequence}, had room, and left it`);
}
