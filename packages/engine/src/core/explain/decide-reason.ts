/** Decides, from the facts about an instance, why it does not move. */
import { toEndRequestAt } from "../deadline.ts";
import { unlessNever } from "../decide/park.ts";
import { toStartsAt } from "../delayed-start.ts";
import { SUSPECT_ATTEMPTS } from "../suspects.ts";
import { isTerminal } from "../model/status.ts";
import type { Reason } from "./explanation.ts";
import type { ExplainFacts, InstanceFacts, OpenStep, TaskFacts } from "./facts.ts";
import { toInstantOf, toWaitReason } from "./wait-reason.ts";

/** What the asked process knows of itself. */
export interface ExplainingProcess {
  readonly isRegistered: boolean;
}

/** Open steps that time, an event or a child can end, and that the code still calls. */
export const waitsOf = ({ openSteps, instance }: ExplainFacts): readonly OpenStep[] => {
  const left = new Set(
    instance.diverged.filter(({ kind }) => kind === "notCalled").map(({ stepKey }) => stepKey),
  );
  return openSteps.filter(({ status, stepKey }) => status === "waiting" && !left.has(stepKey));
};

export function decideReason(facts: ExplainFacts, here: ExplainingProcess): Reason {
  const { instance, task, now } = facts;
  if (isTerminal(instance.status)) return toEnd(instance);
  if (instance.status === "paused") return { cause: "paused" };
  if (task === null) return { cause: "noTask" };
  if (task.status === "processing") return whyHeld(facts, task);
  return task.runAt <= now ? whyDue(facts, task, here) : whyLater(facts, task);
}

function toEnd({ status, completedAt, error }: InstanceFacts): Reason {
  const since = completedAt === null ? {} : { since: completedAt };
  if (status === "errored") return { cause: "errored", ...since, error };
  return { cause: status === "complete" ? "complete" : "terminated", ...since };
}

function whyHeld({ instance, now, openSteps }: ExplainFacts, task: TaskFacts): Reason {
  const until = task.lockedUntil ?? now;
  const isLost = until <= now;
  const lostLeases = isLost ? task.attempts : task.attempts - 1;
  if (lostLeases >= SUSPECT_ATTEMPTS)
    return { cause: "crashLoop", lostLeases, ...(isLost ? {} : { until }) };
  if (isLost) return { cause: "leaseEnded", since: until };
  if (instance.pauseRequested) return { cause: "pauseRequested", until };
  const request = toEndRequestAt(instance, now);
  if (request !== null) return { cause: "endRequested", request, until };
  const running = openSteps.filter(({ status }) => status === "running");
  return { cause: "held", until, running: running.map(({ stepKey }) => stepKey) };
}

function whyDue(
  { instance, now }: ExplainFacts,
  { runAt: since }: TaskFacts,
  { isRegistered }: ExplainingProcess,
): Reason {
  const dueForMs = now - since;
  if (!isRegistered) return { cause: "unregistered", since, dueForMs };
  const request = toEndRequestAt(instance, now);
  return request === null ? { cause: "due", since, dueForMs } : { cause: "endRequested", request };
}

function whyLater(facts: ExplainFacts, { runAt }: TaskFacts): Reason {
  const { instance } = facts;
  if (toStartsAt(instance) !== null) return whyNotStarted(instance, runAt);
  const [first, ...others] = waitsOf(facts);
  if (first !== undefined) {
    const earliest = others.reduce((a, b) => (toInstantOf(b) < toInstantOf(a) ? b : a), first);
    return toWaitReason(facts, earliest);
  }
  const at = unlessNever(runAt);
  const until = at === null ? {} : { until: at };
  return { cause: instance.diverged.length > 0 ? "diverged" : "scheduled", ...until };
}

const whyNotStarted = ({ retryCount, error }: InstanceFacts, until: number): Reason =>
  retryCount > 0
    ? { cause: "runRetry", until, retryCount, error }
    : { cause: "startsLater", until };
