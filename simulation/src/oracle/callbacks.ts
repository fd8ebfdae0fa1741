/** Tokens of callbacks: the first use counts, once, and nobody is told otherwise. */
import type { CallbackUseRecord } from "../world/callbacks.ts";
import type { Case, Judged } from "./case.ts";
import { isCancelledError } from "./ends.ts";

export function checkCallbacks(test: Case, model: Judged): void {
  const { run, fail } = test;
  const keys = new Set<string>(run.uses.map(({ key }) => key));
  for (const event of run.events)
    if (event.type.startsWith("callback ")) keys.add(event.type.slice("callback ".length));
  for (const key of keys) checkCallback(test, key);
  const trimmed = test.report.books.trimmed.get(run.runId);
  for (const use of run.uses) {
    if (use.isForged) checkForged(test, use);
    // With rows that a loop has removed their events go, an hour after they were taken.
    else if (trimmed?.has(use.key) !== true) checkAnswers(test, use);
  }
  if (model === null) return;
  // A token may have been mailed by code that ran over outcomes which were lost.
  for (const { type, consumedByStepKey: key } of run.events)
    if (key !== null && type.startsWith("callback ") && model.called.get(key)?.kind !== "callback")
      fail("callbacks", `${key} was called back, and is no callback that author code has called`);
}

/** What is stored came with a token that was mailed, and is one event. */
function checkCallback({ run, fail }: Case, key: string): void {
  const stored = run.events.filter(({ type }) => type === `callback ${key}`);
  const uses = run.uses.filter((use) => use.key === key && !use.isForged);
  if (stored.length > 1) fail("callbacks", `${key} has ${stored.length} payloads`);
  for (const { payload, consumedByStepKey } of stored) {
    if (!uses.some((use) => payloadOf(use) === payload))
      fail("callbacks", `${key} has the payload ${payload}, which nobody gave`);
    if (consumedByStepKey !== null && consumedByStepKey !== key)
      fail("callbacks", `${consumedByStepKey} took the payload of ${key}`);
  }
}

const payloadOf = ({ payload }: CallbackUseRecord): string => JSON.stringify(payload);

function checkForged({ fail }: Case, { key, answers }: CallbackUseRecord): void {
  for (const { code } of answers)
    if (code !== "CALLBACK_INVALID")
      fail("callbacks", `a forged token of ${key} was answered ${code}`);
}

function checkAnswers(test: Case, use: CallbackUseRecord): void {
  const { run, fail } = test;
  const { key, answers, tries } = use;
  const stored = run.events.find(({ type }) => type === `callback ${key}`);
  const isMine = stored?.payload === payloadOf(use);
  for (const { code, at } of answers)
    switch (code) {
      case "done":
        if (!isMine)
          fail("callbacks", `${key} has not the payload of ${use.payload}, which was taken`);
        break;
      case "CALLBACK_USED":
        if (stored === undefined || (isMine && tries === 1))
          fail("callbacks", `${use.payload} was refused as the second, and is the first`);
        break;
      case "CALLBACK_LATE":
        checkLate(test, use, at);
        break;
      // A call that was refused for it may arrive once more, when there is room.
      case "EVENT_LIMIT":
        break;
      default:
        fail("callbacks", `${use.payload} was answered ${code}`);
    }
}

/** Late is what comes when the wait has its end, or its deadline is over, or the run has ended. */
function checkLate(
  { report, run, fail }: Case,
  { key, payload }: CallbackUseRecord,
  at: number,
): void {
  // It was said of a life of the run that had ended, or had left the wait behind.
  if (at <= (report.books.reopenedAt.get(run.runId) ?? 0)) return;
  // Nothing is known of what retention has deleted.
  const deletedAt = report.books.deleted.get(`${run.workflow}/${run.instanceId}`);
  if (deletedAt !== undefined && at >= deletedAt) return;
  const taken = run.events.some(({ consumedByStepKey }) => consumedByStepKey === key);
  if (taken) return fail("callbacks", `${payload} was said to be late, and the wait has a payload`);
  // What is said of a wait that was cancelled, two commits may say.
  const step = run.steps.find(({ stepKey }) => stepKey === key);
  if (step?.status === "cancelled" || isCancelledError(step?.error)) return;
  // Whose commit was repeated counts the time of its waits from then on.
  if (report.books.repeated.has(run.runId)) return;
  const settledAt = report.books.settledAt.get(run.runId)?.get(key);
  const deadline = step?.wakeAt;
  if (settledAt !== undefined && settledAt > at && (deadline ?? Infinity) > at)
    fail("callbacks", `${payload} was said to be late ${settledAt - at} ms before the wait's end`);
}
