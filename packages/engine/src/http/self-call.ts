/** Calls this application's own tick route, so that a request keeps an instance of the application alive while it works. */
import { createSignedCall, type TickRoute } from "./tick-call.ts";

/** The tick route, and the keys for calls of it. */
export interface SelfCallOptions extends TickRoute {
  /** The longest wait for the answer to begin, in milliseconds. @default 5000 @minimum 1 */
  readonly ackTimeoutMs?: number;
}

/**
 * Creates a function that calls the route and resolves as soon as the answer begins. One call is under way at a time; all calls that are
 * asked for meanwhile become one more.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID; the function throws WAKE_FAILED
 */
export function createSelfCall(options: SelfCallOptions): () => Promise<void> {
  const { ackTimeoutMs: timeoutMs = 5000 } = options;
  const call = createSignedCall(options, { timeoutMs, receive: readOn });
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    underWay = call().finally(() => (underWay = null));
    return underWay;
  };
  const startNext = (): Promise<void> => {
    next = null;
    return start();
  };
  return () => {
    if (underWay === null) return start();
    return (next ??= underWay.then(startNext, startNext));
  };
}

/** If nobody reads the answer, it no longer keeps the sending instance alive. */
function readOn({ body }: Response): void {
  void body?.pipeTo(new WritableStream()).catch(() => undefined);
}
