/** Runs one attempt of a step's body, for as long as its timeout allows. */
import type { StepContext } from "../authoring/step.ts";
import type { DurationMs } from "../core/model/records.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Host } from "../ports/host.ts";

export interface BodyOptions {
  readonly stepKey: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly timeoutMs: DurationMs;
  readonly run: (context: StepContext) => unknown;
}

export type BodyEnd =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown };

/** A body in flight. */
export interface RunningBody {
  /** Stops waiting for the body and aborts its signal; `onEnd` is not called. */
  abandon(reason: string): void;
}

/**
 * Starts a body. `onEnd` is called once, unless abandoned. A body that outlives its timeout may keep running; what it
 * returns then is ignored.
 */
export function startBody(
  host: Host,
  options: BodyOptions,
  onEnd: (end: BodyEnd) => void,
): RunningBody {
  let controller: AbortController | null = null;
  let abortReason: unknown = null;
  let isOver = false;
  const abort = (reason: unknown): void => {
    abortReason = reason;
    controller?.abort(reason);
  };
  const end = (result: BodyEnd): void => {
    if (isOver) return;
    isOver = true;
    cancelTimer();
    onEnd(result);
  };
  const cancelTimer = host.setTimer(options.timeoutMs, () => {
    const error = timeoutError(options);
    end({ kind: "threw", error });
    abort(error);
  });
  const { stepKey, attempt, idempotencyKey } = options;
  const context: StepContext = {
    stepKey,
    attempt,
    idempotencyKey,
    // Made on first use: most bodies never look at it.
    get signal(): AbortSignal {
      if (controller === null) {
        controller = new AbortController();
        if (abortReason !== null) controller.abort(abortReason);
      }
      return controller.signal;
    },
  };
  void runBody(options, context, end);
  return {
    abandon: (reason) => {
      isOver = true;
      cancelTimer();
      abort(new WorkflowError("STEP_NOT_AWAITED", reason, { stepKey }));
    },
  };
}

async function runBody(
  options: BodyOptions,
  context: StepContext,
  end: (result: BodyEnd) => void,
): Promise<void> {
  // A body that throws at once must not end before its caller has noted that it began.
  await Promise.resolve();
  try {
    end({ kind: "returned", value: await options.run(context) });
  } catch (error) {
    end({ kind: "threw", error });
  }
}

function timeoutError(options: BodyOptions): WorkflowError {
  const { stepKey, timeoutMs, attempt } = options;
  const message = `attempt ${attempt} of step "${stepKey}" took longer than its timeout of ${timeoutMs} ms`;
  const error = new WorkflowError("STEP_TIMEOUT", message, { stepKey, timeoutMs, attempt });
  error.name = "StepTimeout";
  return error;
}
