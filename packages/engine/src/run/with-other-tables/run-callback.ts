/** Runs `onConsume` and `onTerminalError`, before the step's outcome is settled. */
import { toIdempotencyKey } from "../../core/idempotency-key.ts";
import type { DurationMs } from "../../core/model/records.ts";
import type { StepWrite } from "../../core/model/change.ts";
import { type BodyEnd, startBody } from "../body.ts";
import type { DoBody } from "../body.ts";
import type { TransactionSession } from "../other-table-writes.ts";

export interface Callback {
  readonly step: StepWrite;
  /** 1-based. */
  readonly attempt: number;
  readonly timeoutMs: DurationMs;
  readonly run: DoBody;
}

/** The session waits for the callback as for a running body. `onEnd` is not called if the session abandons it. */
export function runCallback(
  session: TransactionSession,
  { step: { stepKey }, attempt, timeoutMs, run }: Callback,
  onEnd: (end: BodyEnd) => void,
): void {
  const idempotencyKey = toIdempotencyKey(session.context.namespace, session.claimed, stepKey);
  const options = { stepKey, attempt, idempotencyKey, timeoutMs, run };
  const body = startBody(session.context.host, options, (end) => {
    session.bodyEnded(stepKey);
    session.schedule();
    onEnd(end);
  });
  session.bodies.inFlight.set(stepKey, { body, started: null, record: "row" });
}
