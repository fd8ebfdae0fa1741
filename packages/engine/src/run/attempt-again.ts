/** Decides about a call of `step.do` whose step has had attempts before. */
import { toLimits } from "../core/default-limits.ts";
import { decideDo } from "../core/decide/do.ts";
import type { DoCommand } from "../core/decide/first-attempt.ts";
import type { BeginBody, CallDecision } from "./call.ts";
import type { Session } from "./session-interface.ts";

export function decideAgain(
  { known, context }: Session,
  command: DoCommand,
  begin: BeginBody,
): CallDecision {
  const { stepKey } = command;
  const decision = decideDo(known.openRecordOf(stepKey), command, {
    now: known.now,
    wasNamed: known.wasNamed(stepKey),
    maxLostAttempts: toLimits(context.limits).maxLostAttempts,
    startsAt: known.clock.settle(),
    runner: context.runner,
  });
  if (decision.kind === "exhausted") return { kind: "settle", at: null, step: decision.step };
  if (decision.kind === "retryLater")
    return { kind: "wait", wake: { at: decision.until }, reason: "retry", step: null };
  return { kind: "start", started: decision.started, begin };
}
