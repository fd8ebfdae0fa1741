/** Runs one attempt of a step's body, for as long as its timeout allows. */
import type { StepContext } from "../authoring/step-options.ts";
import type { DurationMs } from "../core/model/records.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Host } from "../ports/host.ts";

/** What author code passes to `step.do`. */
export type DoBody = (context: StepContext) => unknown;

export interface BodyOptions {
  readonly stepKey: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly timeoutMs: DurationMs;
  readonly run: DoBody;
  /** Called with the progress that the body reports; see `StepContext.progress`. @default it is dropped */
  readonly onProgress?: StepContext["progress"];
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
 * Starts a body. `onEnd` is called once, unless the body is abandoned. A body may keep running after its timeout; what it
 * returns then is ignored.
 */
export function startBody(
  host: Host,
  options: BodyOptions,
  onEnd: (end: BodyEnd) => void,
): RunningBody {
  const body = new Body(options, onEnd);
  const startedMs = host.elapsedMs();
  // Many bodies end in the turn in which they begin, and need no timer.
  host.afterTurn(() => body.limit(host, startedMs + options.timeoutMs - host.elapsedMs()));
  // A body that throws at once must not end before its caller has noted its start.
  void LATER.then(() => body.run());
  return body;
}

const LATER = Promise.resolve();
const NO_TIMER = (): void => {};

/** The body whose code runs now. One per process is enough, because only one piece of code runs at a time. */
let entered: RunningBody | null = null;

/** The body whose code runs right now, until it first awaits something; null: none. */
export const enteredBody = (): RunningBody | null => entered;

const enter = (body: RunningBody | null): void => {
  entered = body;
};

class Body implements RunningBody {
  readonly #options: BodyOptions;
  readonly #onEnd: (end: BodyEnd) => void;
  /** Created on first use: most bodies never use their signal. */
  #controller: AbortController | null = null;
  #abortReason: unknown = null;
  #isOver = false;
  #cancelTimer = NO_TIMER;

  constructor(options: BodyOptions, onEnd: (end: BodyEnd) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
  }

  run(): void {
    try {
      const value = this.#enter();
      if (!isThenable(value)) return this.#end({ kind: "returned", value });
      void Promise.resolve(value).then(
        (settled) => this.#end({ kind: "returned", value: settled }),
        (error: unknown) => this.#end({ kind: "threw", error }),
      );
    } catch (error) {
      this.#end({ kind: "threw", error });
    }
  }

  #enter(): unknown {
    enter(this);
    try {
      return this.#options.run(new BodyContext(this.#options, this));
    } finally {
      enter(null);
    }
  }

  /** Limits how long the body is waited for from now on. */
  limit(host: Pick<Host, "setTimer">, leftMs: DurationMs): void {
    if (this.#isOver) return;
    this.#cancelTimer = host.setTimer(leftMs, () => {
      const error = timeoutError(this.#options);
      this.#end({ kind: "threw", error });
      this.#abort(error);
    });
  }

  abandon(reason: string): void {
    this.#isOver = true;
    this.#cancelTimer();
    const { stepKey } = this.#options;
    this.#abort(new WorkflowError("STEP_NOT_AWAITED", reason, { stepKey }));
  }

  #end(end: BodyEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#onEnd(end);
  }

  #abort(reason: unknown): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  tell(value: unknown): Promise<void> {
    const { onProgress } = this.#options;
    return this.#isOver || onProgress === undefined ? LATER : onProgress(value);
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#abortReason !== null) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }
}

/** The context of a body. It is a class, because an object with a getter of its own costs ten times as much to create. */
class BodyContext implements StepContext {
  readonly stepKey: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly #body: Pick<Body, "signal" | "tell">;

  constructor(
    { stepKey, attempt, idempotencyKey }: BodyOptions,
    body: Pick<Body, "signal" | "tell">,
  ) {
    this.stepKey = stepKey;
    this.attempt = attempt;
    this.idempotencyKey = idempotencyKey;
    this.#body = body;
  }

  get signal(): AbortSignal {
    return this.#body.signal;
  }

  /** Bound, so that it can be passed on as a callback. */
  get progress(): StepContext["progress"] {
    return (value) => this.#body.tell(value);
  }
}

const isThenable = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && "then" in value;

function timeoutError(options: BodyOptions): WorkflowError {
  const { stepKey, timeoutMs, attempt } = options;
  const message = `attempt ${attempt} of step "${stepKey}" took longer than its timeout of ${timeoutMs} ms`;
  const error = new WorkflowError("STEP_TIMEOUT", message, { stepKey, timeoutMs, attempt });
  error.name = "StepTimeout";
  return error;
}
