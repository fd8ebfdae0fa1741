/** Explains an instance. */
import { decideReason, type ExplainingProcess, waitsOf } from "./decide-reason.ts";
import type { Explanation, Reason } from "./explanation.ts";
import type { ExplainFacts } from "./facts.ts";
import { toSentence } from "./sentences.ts";

export function explain(facts: ExplainFacts, here: ExplainingProcess): Explanation {
  const { instance, now } = facts;
  const { status, runNumber, diverged, deadlineAt, endRequested } = instance;
  const reason = decideReason(facts, here);
  const hasEnded = ENDED.has(reason.cause);
  const frame = {
    status,
    runNumber,
    now,
    otherWaits: "step" in reason ? waitsOf(facts).length - 1 : 0,
    diverged,
    deadlineAt: hasEnded || endRequested !== null ? null : deadlineAt,
  };
  return { ...reason, sentence: toSentence(reason, frame), ...frame };
}

const ENDED: ReadonlySet<Reason["cause"]> = new Set(["complete", "errored", "terminated"]);
